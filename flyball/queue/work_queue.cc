#include "flyball/queue/work_queue.h"

namespace flyball::queue {

template class WorkQueue<api::ObjectKey>;
template class WorkQueue<std::string>;

}  // namespace flyball::queue
