import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Job {
  func hold(_ lock: String) throws {
    // The path is copied by the call.
    let file = unsafe open(lock, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, flock(file, LOCK_EX) == 0 else { throw Misuse() }
    printLine("held")
    while true { pause() }
  }

  /// Unlocks the vault and uses every secret in it; then waits until a signal has locked it, and
  /// until it may go on; again and again.
  func beLocked(_ vault: SecretVault) throws {
    let passphrase = try parameter(0)
    vault.automaticLocking = AutomaticLocking(whenSuspended: true, signals: [SIGUSR1])
    let permission = try parameter(1)
    for round in 1... {
      try vault.unlock(with: .passphrase(try Self.secret(inFile: passphrase)))
      let items = try vault.items(matching: .all)
      for item in items { try Self.write(item, of: vault) }
      try vault.compact()
      guard try vault.verify().isSound else { throw Misuse() }
      for item in items { try Self.read(item, of: vault) }
      printLine("unlocked")
      while try !vault.isLocked { usleep(1000) }
      printLine("locked")
      // The path is copied by the call.
      while unsafe access("\(permission).\(round)", F_OK) != 0 { usleep(1000) }
    }
  }

  private static func read(_ item: SecretItem, of vault: SecretVault) throws {
    guard let reading = try vault.secret(of: item.id) else { throw Misuse() }
    let digest = try OpenSSLCipher().deriveKey(from: reading.secret, salt: [], purpose: "digest")
    // The bytes are copied inside the closure.
    let digits = unsafe digest.withUnsafeBytes { unsafe $0.map { String($0, radix: 16) } }
    printLine("\(item.identity.account ?? "-")\t\(digits.joined())")
  }

  /// Writes a secret again, both to its item and to one that is removed again.
  private static func write(_ item: SecretItem, of vault: SecretVault) throws {
    guard let reading = try vault.secret(of: item.id) else { throw Misuse() }
    _ = try vault.update(
      item.id, expecting: item.revision, attributes: nil, secret: reading.secret)
    let copy = try vault.add(
      reading.secret, identity: .generic(service: "copy"), attributes: item.attributes)
    try vault.remove(copy.id, expecting: copy.revision)
  }

  /// Reads a file into a secret, without a copy of the bytes anywhere else.
  private static func secret(inFile path: String) throws -> Secret {
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    let count = Int(lseek(file, 0, SEEK_END))
    return unsafe try Secret(count: count) { buffer throws(Misuse) in
      guard unsafe pread(file, buffer.baseAddress, count, 0) == count else { throw Misuse() }
    }
  }
}
