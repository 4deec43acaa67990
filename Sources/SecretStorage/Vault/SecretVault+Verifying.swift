import CLibrary
import Concurrency
import LibCrypto
import StorageInternals

extension SecretVault {
  /// Checks this vault, its files, and its requirements on the machine.
  ///
  /// Nothing is created or changed, except that leftovers of killed writers are removed and that
  /// this machine records the state of a vault that it reads. No question is asked. Secrets are not
  /// opened; ``verify()`` opens them.
  ///
  /// - Complexity: Linear in the size of the vault if it was not read yet.
  public func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    diagnosis.record("Store", "\(type(of: self))")
    diagnose(into: &diagnosis)
    diagnosis.recordMachine()
    return diagnosis
  }

  func diagnose(into diagnosis: inout Diagnosis) {
    diagnosis.examine(cipher)
    do {
      let parts = try parts
      diagnosis.examineFiles(of: parts, allowsSharedDirectories)
      let contents = try withContents { contents in contents }
      diagnosis.examine(contents)
    } catch {
      // A file that is not private, or a missing library, is already reported.
      if !diagnosis.problems.contains(where: { $0.text == error.description }) {
        diagnosis.problem("Vault", error)
      }
    }
    if let problem = watchProblem {
      diagnosis.problem("Observing", problem)
    } else {
      diagnosis.record("Observing", "inotify reports changes by other programs at once")
    }
    diagnosis.record(authenticator)
    diagnosis.record(guarantees)
  }
}

extension Diagnosis {
  fileprivate mutating func examineFiles(of parts: VaultLocation, _ mayBeShared: Bool) {
    if let log = parts.log as? FileRecordLog {
      examine("Vault file", log.path, log.fileSystem, isSecret: true)
      examineDirectory("Vault directory", log.path.parentDirectory, log.fileSystem, mayBeShared)
      examine("Lock file", "\(log.path).lock", log.fileSystem, isSecret: false)
    } else {
      record("Vault", parts.log.name)
    }
    let device = parts.device
    examineDirectory("State directory", device.directory, device.fileSystem, mayBeShared)
    examine("Device key", device.keyPath, device.fileSystem, isSecret: true)
    examineKeptAside(parts.log)
  }

  private mutating func examineKeptAside(_ log: any RecordLog) {
    do {
      let names = try log.keptAside
      if names.isEmpty { return }
      record(
        "Damaged copies",
        """
        \(names.joined(separator: ", ")): kept by repairs, and open with the vault's keys of \
        that time. removeDamagedCopies() removes them.
        """)
    } catch {
      problem("Damaged copies", error)
    }
  }

  /// Examines a file; a secret one must not be open to other users.
  private mutating func examine(
    _ subject: String, _ path: String, _ fileSystem: FileSystem, isSecret: Bool
  ) {
    do throws(SecretStoreError) {
      let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
      guard let status else { return recordMissing(subject, path) }
      if isSecret { try checkPrivacy(status, of: path) }
      record(subject, "\(path), \(status.size) bytes, \(status.permissions)")
    } catch {
      problem(subject, error)
    }
  }

  /// Examines a directory; if it is missing, the nearest existing ancestor decides if it can be
  /// created.
  private mutating func examineDirectory(
    _ subject: String, _ path: String, _ fileSystem: FileSystem, _ mayBeShared: Bool
  ) {
    do throws(SecretStoreError) {
      let found = try system { () throws(SystemError) in
        try fileSystem.status(of: path, followingLink: true)
      }
      var ancestor = path
      while Self.obstacle(toWriting: ancestor) == ENOENT, ancestor != ancestor.parentDirectory {
        ancestor = ancestor.parentDirectory
      }
      let obstacle = Self.obstacle(toWriting: ancestor).map { SystemError.message(for: $0) }
      guard let status = found else {
        guard let obstacle else { return recordMissing(subject, path) }
        let advice = "Create it, for this user alone, or name another place."
        return problem(
          subject,
          "\(path) does not exist and cannot be created in \(ancestor): \(obstacle). \(advice)")
      }
      let description = "\(path), \(status.permissions)"
      if !status.isDirectory {
        problem(subject, "\(path) is not a directory. Move it aside, or name another place.")
      } else if status.isExchangeable, !mayBeShared {
        problem(
          subject,
          "\(description), is writable by other users: remove that permission with chmod go-w \(path)."
        )
      } else if let obstacle {
        problem(
          subject,
          "\(description), cannot be written to: \(obstacle). Reading may work, saving does not.")
      } else {
        record(subject, description)
      }
    } catch {
      problem(subject, error)
    }
  }

  private mutating func recordMissing(_ subject: String, _ path: String) {
    record(subject, "\(path), not created yet: the first write creates it")
  }

  /// Returns the error number that writing into a directory would meet; nil if there is none.
  private static func obstacle(toWriting path: String) -> Int32? {
    // The call gets a temporary copy of the path, and nothing changes `errno` before it is read.
    unsafe access(path, W_OK) == 0 ? nil : errno
  }

  fileprivate mutating func examine(_ contents: VaultContents) {
    let table = contents.keys.table
    examineSlots(contents)
    if contents.sealedRecords > 0 {
      record("Items", "unknown while the vault is locked")
    } else {
      record("Items", "\(contents.index.count)")
    }
    if let vanishing = contents.vanishing { problem("Content", vanishing) }
    if let interrupted = contents.interruptedWrite {
      record(
        "Interrupted write",
        "\(interrupted.place): never acknowledged, and the next write cuts it off")
    }
    if !contents.damage.isEmpty {
      problem(
        "Damage",
        """
        \(contents.damage.description). Intact items stay readable: restore a backup, or save \
        the rest with repair().
        """)
    }
    // Damage that leaves no key table is already reported above.
    if let distrust = contents.distrust, table != nil || contents.damage.isEmpty {
      problem("Content", distrust)
    }
  }

  fileprivate mutating func examine(_ cipher: any SecretCipher) {
    guard cipher is OpenSSLCipher else {
      return record("Cryptography", "\(type(of: cipher)), which the app brings")
    }
    do {
      record("Cryptography", "OpenSSL, as \(try CryptoLibrary.shared.get().name)")
    } catch {
      problem("Cryptography", "\(error)")
    }
  }
}

extension FileStatus {
  fileprivate var permissions: String {
    "mode 0" + String(mode & 0o7777, radix: 8) + (owner == geteuid() ? "" : ", of user \(owner)")
  }
}
