import CipherSupport
import CLibrary
import FoundationEssentials
import SecretStorage

// Work beside locks of the file and of the vault.
extension Job {
  /// `lock`: holds a lock, prints a line, and waits for a signal.
  func hold() throws {
    // The call copies the path.
    let file = unsafe open(try parameter(0), O_RDWR | O_CREAT, 0o600)
    guard file >= 0, flock(file, LOCK_EX) == 0 else { throw Misuse() }
    printLine("held")
    while true { pause() }
  }

  /// `kind path permission`: repeatedly unlocks the vault by the passphrase or `key file` in a
  /// file, uses every secret, prints `unlocked`, waits until a signal has locked it, prints
  /// `locked`, and waits for the file `permission.1` and so on.
  func beLocked() throws {
    let vault = SecretVault(fileURL: file, stateDirectory: state)
    vault.automaticLocking = AutomaticLocking(whenSuspended: true, signals: [SIGUSR1])
    let permission = try parameter(2)
    for round in 1... {
      try unlock(vault)
      let items = try vault.items(matching: .all)
      for item in items { try Self.write(item, of: vault) }
      try vault.compact()
      guard try vault.verify().isSound else { throw Misuse() }
      for item in items { try Self.read(item, of: vault) }
      printLine("unlocked")
      while try !vault.isLocked { usleep(1000) }
      printLine("locked")
      // The call copies the path.
      while unsafe access("\(permission).\(round)", F_OK) != 0 { usleep(1000) }
    }
  }

  /// `passphrase stop`: until the file `stop` exists, changes and reads an item of its own,
  /// unlocking the vault when it is locked; or stays locked if the passphrase is `-`.
  ///
  /// Also reads the item `always`, and prints a line for each round.
  func accompany(_ vault: SecretVault) throws {
    let passphrase = try parameter(0)
    let stop = try parameter(1)
    var round = 0
    // The call copies the path.
    while unsafe access(stop, F_OK) != 0 {
      guard try value(of: "always", in: vault) == "always" else { throw Misuse() }
      if passphrase != "-" {
        do {
          try change(to: "\(round)", from: round == 0 ? nil : "\(round - 1)", in: vault)
        } catch SecretStoreError.locked {
          try vault.unlock(with: .passphrase(Secret(passphrase.utf8)))
          continue
        } catch SecretStoreError.conflict {
          throw Misuse()
        }
      }
      printLine("\(round)")
      round += 1
    }
  }

  /// Saves a text in this process's item, and reads it back; the previous one must still be there.
  private func change(to text: String, from previous: String?, in vault: SecretVault) throws {
    let account = "process \(getpid())"
    let identity = ItemIdentity.generic(service: "campaign", account: account)
    // A change may have been written before the vault was found locked.
    guard try [previous, text].contains(value(of: account, in: vault)) else { throw Misuse() }
    if let item = try vault.items(matching: .exactly(identity)).first {
      _ = try vault.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret(text.utf8))
    } else {
      _ = try vault.add(Secret(text.utf8), identity: identity, attributes: ItemAttributes())
    }
    guard try value(of: account, in: vault) == text else { throw Misuse() }
  }

  /// Unlocks with the content of a file, as a passphrase or as a key file.
  private func unlock(_ vault: SecretVault) throws {
    let path = try parameter(1)
    let isKeyFile = try parameter(0) == "key file"
    try vault.unlock(
      with: isKeyFile ? .keyFile(URL(filePath: path)) : .passphrase(Self.secret(inFile: path)))
  }

  private static func read(_ item: SecretItem, of vault: SecretVault) throws {
    guard let reading = try vault.secret(of: item.id) else { throw Misuse() }
    let digest = try TestCipher().deriveKey(from: reading.secret, salt: [], purpose: "digest")
    // The closure copies the bytes.
    let digits = unsafe digest.withUnsafeBytes { unsafe $0.map { String($0, radix: 16) } }
    printLine("\(item.identity.account ?? "-")\t\(digits.joined())")
  }

  /// Writes a secret again, to its item and to a temporary item.
  private static func write(_ item: SecretItem, of vault: SecretVault) throws {
    guard let reading = try vault.secret(of: item.id) else { throw Misuse() }
    _ = try vault.update(item.id, expecting: item.revision, attributes: nil, secret: reading.secret)
    let copy = try vault.add(
      reading.secret, identity: .generic(service: "copy"), attributes: item.attributes)
    try vault.remove(copy.id, expecting: copy.revision)
  }

  /// Reads a file into a secret, without any other copy of the bytes.
  private static func secret(inFile path: String) throws -> Secret {
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    let count = Int(lseek(file, 0, SEEK_END))
    return unsafe try Secret(count: count) { buffer throws(Misuse) in
      guard unsafe pread(file, buffer.baseAddress, count, 0) == count else { throw Misuse() }
    }
  }
}
