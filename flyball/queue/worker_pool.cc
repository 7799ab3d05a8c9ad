#include "flyball/queue/worker_pool.h"

namespace flyball::queue {

template class WorkerPool<api::ObjectKey>;
template class WorkerPool<std::string>;

}  // namespace flyball::queue
