#include "tests/scripted/connection.h"

#include <utility>

namespace flyball::scripted {

void Connection::Close() {
  if (std::exchange(closed_, true)) return;
  socket_->Close();
  Forget();
  closed_callback_();
}

void Connection::CloseWhenWritten() {
  closing_ = true;
  if (!writing_) Close();
}

void Connection::Garbage(std::string bytes) {
  const auto kept = std::make_shared<std::string>(std::move(bytes));
  socket_->Write(boost::asio::buffer(*kept),
                 [self = shared_from_this(), kept](bool, std::size_t) { self->Close(); });
}

void Connection::ReadMore() {
  socket_->Read(boost::asio::buffer(input_),
                [self = shared_from_this()](bool ok, std::size_t size) {
                  if (self->closed_ || self->frozen_) return;
                  if (!ok) return self->Close();
                  self->Received({self->input_, size});
                  if (!self->closed_) self->ReadMore();
                });
}

void Connection::WriteOutput() {
  if (writing_ || closed_ || frozen_ || output_.empty()) return;
  writing_ = true;
  const auto kept = std::make_shared<std::string>(std::exchange(output_, {}));
  socket_->Write(boost::asio::buffer(*kept),
                 [self = shared_from_this(), kept](bool ok, std::size_t) {
                   self->writing_ = false;
                   if (!ok) return self->Close();
                   self->Written();
                   if (self->closing_ && !self->writing_) self->Close();
                 });
}

}  // namespace flyball::scripted
