import SecretStorage
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Job {
  /// Adds items, each while the process can open no file until the item is sealed.
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
    // What is loaded once is loaded now.
    try add("first")
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    // The limit is copied by the call.
    let result = unsafe setrlimit(Self.descriptors, &limit)
    if result != 0 { throw Misuse() }
    for number in 0..<(try number(0)) {
      cipher.takeDescriptors()
      try add("\(number)")
    }
  }

  func useLibrariesWithoutDescriptors() throws {
    var limits = rlimit()
    // Here and below, the kernel reads and writes the struct and nothing else.
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
      printLine("libcrypto: \(try OpenSSLCipher().digest([]).count) bytes")
    } catch {
      printLine("libcrypto: \(error)")
    }
    let findings = SecretVault(fileURL: file, stateDirectory: state).diagnose().findings
    printLine("libpam: \(findings.first { $0.subject == "PAM" }?.text ?? "no finding")")
  }
}

/// OpenSSL's cipher, which gives back the descriptors that it has taken when something is sealed.
private final class StarvingCipher: SecretCipher {
  private let cipher = OpenSSLCipher()
  private let taken = Lock([Int32]())

  /// Takes every descriptor that is left.
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

  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try cipher.digest(bytes)
  }

  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
  }

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    try cipher.stretch(passphrase, salt: salt, cost: cost)
  }

  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    try cipher.open(sealed, with: key, authenticating: context)
  }

  func forgetKeys() { cipher.forgetKeys() }
}
