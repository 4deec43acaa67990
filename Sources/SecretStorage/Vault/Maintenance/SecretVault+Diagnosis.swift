import CLibrary
import Concurrency
import StorageInternals

// Reporting the state of the vault, its files and directories, its keys and the libraries.
extension SecretVault {
  /// Checks this vault, its files, and the requirements on the machine.
  ///
  /// The diagnosis opens no secrets, and never prompts the user. It only removes temporary files of
  /// killed processes, updates this machine's record of the vault, and flushes directories.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the vault, if it has not been read yet.
  public func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    diagnosis.record("Store", "\(type(of: self))")
    diagnosis.examine(self)
    return diagnosis
  }
}

extension Diagnosis {
  mutating func examineVault(_ vault: SecretVault) {
    examine(vault.cipher)
    do throws(SecretStoreError) {
      examineFiles(of: try vault.location, vault.allowsSharedDirectories)
      let contents = try vault.withContents { contents throws(SecretStoreError) in contents }
      examine(contents)
    } catch {
      // A file that is not private, or a missing library, is already reported.
      if !problems.contains(where: { $0.text == error.description }) { problem("Vault", error) }
    }
    if let problem = vault.watchProblem {
      self.problem("Observing", problem)
    } else {
      record("Observing", "inotify reports changes by other programs immediately")
    }
  }

  private mutating func examineFiles(of location: VaultLocation, _ mayBeShared: Bool) {
    let (file, device) = (location.file, location.device)
    examine("Vault file", file.path, file.fileSystem, isSecret: true)
    examineDirectory("Vault directory", file.directory, file.fileSystem, mayBeShared)
    examine("Lock file", file.lockPath, file.fileSystem, isSecret: false)
    examineDirectory("State directory", device.directory, device.fileSystem, mayBeShared)
    examine("Device key", device.keyPath, device.fileSystem, isSecret: true)
    do {
      let names = try file.damagedCopies
      if names.isEmpty { return }
      record(
        "Damaged copies",
        """
        \(names.summary): kept by repairs, and can be opened with the keys \
        from that time. removeDamagedCopies() removes them.
        """)
    } catch .system("opendir", let directory, EACCES) {
      record("Damaged copies", "unknown, because this user may not list \(directory)")
    } catch {
      problem("Damaged copies", error)
    }
  }

  private mutating func examine(
    _ subject: String, _ path: String, _ fileSystem: FileSystem, isSecret: Bool
  ) {
    do throws(SecretStoreError) {
      guard let status = try mapErrors(fileSystem.status(of: path)) else {
        return recordMissing(subject, path)
      }
      if isSecret { try checkPrivacy(status, of: path) }
      record(subject, "\(path), \(status.size) bytes, \(status.permissions)")
    } catch {
      problem(subject, error)
    }
  }

  private mutating func examineDirectory(
    _ subject: String, _ path: String, _ fileSystem: FileSystem, _ mayBeShared: Bool
  ) {
    do throws(SecretStoreError) {
      let found = try mapErrors(fileSystem.status(of: path, followingLink: true))
      var ancestor = path
      while Self.obstacle(toWriting: ancestor) == ENOENT, ancestor != ancestor.parentDirectory {
        ancestor = ancestor.parentDirectory
      }
      let obstacle = Self.obstacle(toWriting: ancestor).map { errorMessage($0) }
      guard let status = found else {
        guard let obstacle else { return recordMissing(subject, path) }
        let advice = "Create it with access for this user only, or specify another directory."
        return problem(
          subject,
          "\(path) does not exist and cannot be created in \(ancestor): \(obstacle). \(advice)")
      }
      let description = "\(path), \(status.permissions)"
      let fault: String? =
        if !status.isDirectory {
          "\(path) is not a directory. Move it, or specify another directory."
        } else if status.allowsReplacingFiles, !mayBeShared {
          "\(description), is writable by other users. Revoke the permission: chmod go-w \(path)"
        } else if let obstacle {
          "\(description), cannot be written to: \(obstacle). Reading may work, but saving does not."
        } else {
          nil
        }
      if let fault { return problem(subject, fault) }
      let isFlushed = try mapErrors(fileSystem.synchronizeDirectory(path))
      record(
        subject, isFlushed ? description : "\(description); \(SystemError.unflushableDirectory)")
    } catch {
      problem(subject, error)
    }
  }

  private mutating func recordMissing(_ subject: String, _ path: String) {
    record(subject, "\(path), does not exist yet; the first write creates it")
  }

  /// Returns the error number of an attempt to write to a directory; nil if it would succeed.
  private static func obstacle(toWriting path: String) -> Int32? {
    // The call gets a temporary copy of the path, and nothing changes `errno` before it is read.
    unsafe access(path, W_OK) == 0 ? nil : errno
  }

  private mutating func examine(_ contents: VaultContents) {
    // Damage that leaves no key table is reported below. A refused file is not examined further.
    if let trustError = contents.trustError, contents.keys.table != nil || contents.damage.isEmpty {
      return problem("Content", trustError)
    }
    if let table = contents.keys.table {
      examine(table, contents.keys)
    } else if contents.damage.isEmpty {
      record("Opened by", "nothing yet: there is no vault")
    }
    record(
      "Items",
      contents.mayHaveMore ? "unknown while the vault is locked" : "\(contents.index.count)")
    if let missingVaultError = contents.missingVaultError { problem("Content", missingVaultError) }
    if let interrupted = contents.interruptedWrite {
      record(
        "Interrupted write",
        "\(interrupted.place): never acknowledged; the next write removes it")
    }
    if !contents.damage.isEmpty {
      problem(
        "Damage",
        """
        \(contents.damage.description). Intact items are still readable. Restore a backup, or \
        save them with repair().
        """)
    }
  }

  private mutating func examine(_ table: KeyTable, _ keys: VaultKeys) {
    let descriptions = table.slots.map { slot in
      do {
        let isOwn = try slot.isOfDevice(keys.ring.device, by: table.sealer)
        return isOwn ? "this device's key" : slot.kind.keyDescription
      } catch {
        // Another finding reports that the cipher cannot be used.
        return slot.kind.keyDescription
      }
    }
    record("Opened by", Self.list(descriptions))
    if table.hasOldKeys { record("Keys", "are being rotated: resumeRotation() completes it") }
    if keys.isUnlocked { return record("Locked", "no") }
    if let error = keys.unattendedError { return problem("Locked", error) }
    recordLock(keys.lockReason)
  }

  private mutating func examine(_ cipher: any SecretCipher) {
    guard cipher is OpenSSLCipher else {
      return record("Cryptography", "\(type(of: cipher)), provided by the app")
    }
    do {
      record("Cryptography", "OpenSSL, \(try CryptoLibrary.shared.get().name)")
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
