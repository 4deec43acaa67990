import CipherSupport
import CLibrary
import Concurrency
import SecretStorage

extension Job {
  /// Adds items; the process has no free descriptor until each item is sealed.
  func writeWithoutDescriptors() throws {
    let cipher = StarvingCipher()
    let vault = SecretVault(fileURL: file, stateDirectory: state, cipher: cipher)
    func add(_ account: String) throws {
      try Self.journal(account, account) {
        _ = try vault.add(
          Secret(account.utf8), identity: .generic(service: "campaign", account: account),
          attributes: ItemAttributes())
      }
    }
    // Loads the libraries, which are loaded only once.
    try add("first")
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    // The call copies the limit.
    let result = unsafe setrlimit(Self.descriptors, &limit)
    if result != 0 { throw Misuse() }
    for number in 0..<(try number(0)) {
      cipher.takeDescriptors()
      try add("\(number)")
    }
  }

  func useLibrariesWithoutDescriptors() throws {
    var limits = rlimit()
    // Here and below, the kernel accesses only the struct.
    guard unsafe getrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    let previous = limits.rlim_cur
    let free = dup(STDOUT_FILENO)
    close(free)
    limits.rlim_cur = rlim_t(free)
    guard unsafe setrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    useLibraries()
    limits.rlim_cur = previous
    guard unsafe setrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    useLibraries()
  }

  #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let descriptors = RLIMIT_NOFILE
  #endif

  private func useLibraries() {
    do throws(SecretStoreError) {
      printLine("libcrypto: \(try TestCipher().digest([]).count) bytes")
    } catch {
      printLine("libcrypto: \(error)")
    }
    let findings = SecretVault(fileURL: file, stateDirectory: state).diagnose().findings
    printLine("libpam: \(findings.first { $0.subject == "PAM" }?.text ?? "no finding")")
  }
}

/// OpenSSL's cipher, which closes the hoarded descriptors when it seals.
private final class StarvingCipher: ForwardingCipher {
  let cipher = TestCipher()
  private let taken = Lock([Int32]())

  /// Opens descriptors up to the limit.
  func takeDescriptors() {
    taken.withLock { taken in
      while case let descriptor = dup(STDERR_FILENO), descriptor >= 0 { taken.append(descriptor) }
    }
  }

  private func release() {
    taken.withLock { taken in
      for descriptor in taken { close(descriptor) }
      taken = []
    }
  }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    release()
    return try cipher.seal(plaintext, with: key, authenticating: context)
  }
}
