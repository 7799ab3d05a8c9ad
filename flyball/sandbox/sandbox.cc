#include "flyball/sandbox/sandbox.h"

#include <openssl/rand.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/base/mutex.h"

namespace flyball::sandbox {
namespace {

namespace fs = std::filesystem;

std::uint64_t Unforeseeable() {
  std::uint64_t bits = 0;
  FLYBALL_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&bits), sizeof(bits)) == 1,
                "the machine has no random numbers");
  return bits;
}

/// Requests are handled on any thread, and all of them take from here.
api::RandomBits Seeded(std::uint64_t seed) {
  struct Source {
    explicit Source(std::uint64_t its_seed) : engine(its_seed) {}
    Mutex mutex;
    std::mt19937_64 engine FLYBALL_GUARDED_BY(mutex);
  };
  return [source = std::make_shared<Source>(seed)] {
    const MutexLock lock(source->mutex);
    return source->engine();
  };
}

std::string NewToken() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (int i = 0; i < 2; ++i) {
    std::uint64_t bits = Unforeseeable();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4) token += kDigits[bits & 0xf];
  }
  return token;
}

/// Nothing if there is no such file.
std::string ReadFile(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The token in a file, which is made if it is not there.
Result<std::string> KeptToken(const fs::path& file) {
  std::string token = ReadFile(file);
  if (token.empty()) {
    token = NewToken();
    FLYBALL_TRY(WritePrivateFile(file, token));
  }
  return token;
}

/// One for as long as there is a folder to keep it in; else a new one.
Result<serving::CertificateAuthority> KeptAuthority(const fs::path& folder, WallTime now) {
  if (folder.empty()) return serving::CertificateAuthority::Make("sandbox", now);
  serving::Certificate kept{ReadFile(folder / "ca.pem"), ReadFile(folder / "ca-key.pem")};
  if (!kept.certificate_pem.empty() && !kept.key_pem.empty()) {
    return serving::CertificateAuthority(std::move(kept));
  }
  FLYBALL_TRY(auto made, serving::CertificateAuthority::Make("sandbox", now));
  FLYBALL_TRY(WritePrivateFile(folder / "ca-key.pem", made.self().key_pem));
  FLYBALL_TRY(WritePrivateFile(folder / "ca.pem", made.self().certificate_pem));
  return made;
}

}  // namespace

struct Sandbox::Machine {
  RealClock clock;
  ElasticExecutor executor{clock};
  Timers timers{executor};
};

Sandbox::Sandbox(std::unique_ptr<Machine> machine, Deps deps)
    : machine_(std::move(machine)), deps_(std::move(deps)) {}

Sandbox::Sandbox()
    : machine_(std::make_unique<Machine>()), deps_{machine_->executor, machine_->timers} {
  const auto opened = Open({});
  FLYBALL_CHECK(opened, opened.error().Describe());
}

Sandbox::Sandbox(Deps deps, Options options) : deps_(std::move(deps)) {
  FLYBALL_CHECK(options.folder.empty(), "a sandbox in a folder may fail: that is for Create()");
  const auto opened = Open(std::move(options));
  FLYBALL_CHECK(opened, opened.error().Describe());
}

Result<std::unique_ptr<Sandbox>> Sandbox::Create(Deps deps, Options options) {
  std::unique_ptr<Sandbox> sandbox(new Sandbox(nullptr, std::move(deps)));
  FLYBALL_TRY(sandbox->Open(std::move(options)));
  return sandbox;
}

Result<std::unique_ptr<Sandbox>> Sandbox::Create(Options options) {
  auto machine = std::make_unique<Machine>();
  Deps deps{machine->executor, machine->timers};
  std::unique_ptr<Sandbox> sandbox(new Sandbox(std::move(machine), std::move(deps)));
  FLYBALL_TRY(sandbox->Open(std::move(options)));
  return sandbox;
}

Sandbox::~Sandbox() {
  http_.reset();
  network_.reset();
  admin_.reset();
  server_.reset();
  // Watches end in tasks, and have timers, which must not outlive theirs.
  if (machine_) machine_->executor.Drain();
}

Result<> Sandbox::Open(Options options) {
  ApiServer::Options server;
  server.changes_kept = options.changes_kept;
  server.services = options.services;
  server.more_paths = std::move(options.more_paths);
  server.random = options.seed ? Seeded(*options.seed) : api::RandomBits(Unforeseeable);
  folder_ = std::move(options.folder);
  if (folder_.empty()) {
    admin_token_ = NewToken();
  } else {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) return Fail(ErrorCode::kIo, folder_.string() + ": " + failed.message());
    server.folder = folder_ / "objects";
    FLYBALL_TRY(admin_token_, KeptToken(folder_ / "token"));
  }
  const User admin{.name = "admin", .groups = {"system:masters"}};
  server.accounts = std::move(options.accounts);
  server.accounts.push_back({admin_token_, admin});
  FLYBALL_TRY(server_,
              ApiServer::Create({deps_.executor, deps_.timers, deps_.log}, std::move(server)));
  admin_ = As(admin);
  return {};
}

std::unique_ptr<Session> Sandbox::As(User user) {
  return std::make_unique<Session>(server_->As(std::move(user)), clock());
}

Result<Access> Sandbox::Listen(serving::HttpServer::Options options, transport::Network* network) {
  http_.reset();
  Access access{.token = admin_token_};
  if (!options.tls) {
    FLYBALL_TRY(options.tls, MakeTls(options.address));
    access.authority_pem = options.tls->client_roots;
  }
  // What is too large for the API server is for it to refuse, with a Status.
  auto& most = options.limits.request_body;
  most = std::max(most, 4 * ApiServer::kMaxBody);
  if (network == nullptr) {
    if (!network_) network_ = std::make_unique<transport::Network>(deps_.executor);
    network = network_.get();
  }
  FLYBALL_TRY(http_,
              serving::HttpServer::Listen(*network, *server_, std::move(options), deps_.log));
  access.url = http_->url();
  return access;
}

void Sandbox::StopListening(std::chrono::nanoseconds grace) {
  if (http_) http_->Stop(grace);
  http_.reset();
}

Result<serving::TlsOptions> Sandbox::MakeTls(const std::string& address) const {
  const WallTime now = deps_.executor.clock().WallNow();
  FLYBALL_TRY(const auto authority, KeptAuthority(folder_, now));
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  if (std::ranges::find(names, address) == names.end()) names.push_back(address);
  FLYBALL_TRY(auto certificate,
              authority.Issue({.common_name = "kube-apiserver", .names = std::move(names)}, now));
  return serving::TlsOptions{std::move(certificate), authority.self().certificate_pem};
}

}  // namespace flyball::sandbox
