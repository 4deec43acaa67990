import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension SecretVault {
  /// Looks at this vault, its files, and what it needs of the machine.
  ///
  /// Nothing is created or changed, but for what killed writers left, which is removed; no question
  /// is asked. Secrets are not opened: ``verify()`` does.
  ///
  /// - Complexity: Linear in the size of the vault where it was not read yet.
  public func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    diagnosis.note("Store", "\(type(of: self))")
    diagnose(into: &diagnosis)
    diagnosis.noteMachine()
    return diagnosis
  }

  func diagnose(into diagnosis: inout Diagnosis) {
    diagnosis.examine(cipher)
    do {
      let parts = try parts
      diagnosis.examineFiles(of: parts)
      let contents = try withContents { contents in contents }
      diagnosis.examine(contents)
    } catch {
      // A file that is not private is named already, and so is a library that is missing.
      if !diagnosis.problems.contains(where: { $0.text == error.description }) {
        diagnosis.problem("Vault", error)
      }
    }
    diagnosis.note(authenticator)
    diagnosis.note(guarantees)
  }
}

extension Diagnosis {
  fileprivate mutating func examineFiles(of parts: VaultParts) {
    if let log = parts.log as? FileRecordLog {
      examine("Vault file", log.path, log.fileSystem, isSecret: true)
      examineDirectory("Vault directory", log.path.parentDirectory, log.fileSystem)
      examine("Lock file", "\(log.path).lock", log.fileSystem, isSecret: false)
    } else {
      note("Vault", parts.log.name)
    }
    let device = parts.device
    examineDirectory("State directory", device.directory, device.fileSystem)
    examine("Device key", device.keyPath, device.fileSystem, isSecret: true)
  }

  /// Looks at a file; one that is secret must not be open to others.
  private mutating func examine(
    _ subject: String, _ path: String, _ fileSystem: FileSystem, isSecret: Bool
  ) {
    do throws(SecretStoreError) {
      let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
      guard let status else {
        return note(subject, "\(path), not there: the first write makes it")
      }
      if isSecret { try checkPrivacy(status, of: path) }
      note(subject, "\(path), \(status.size) bytes, \(status.permissions)")
    } catch {
      problem(subject, error)
    }
  }

  private mutating func examineDirectory(
    _ subject: String, _ path: String, _ fileSystem: FileSystem
  ) {
    do throws(SecretStoreError) {
      let resolved = try system { () throws(SystemError) in
        try fileSystem.statusOfTarget(of: path)
      }
      guard let status = resolved else { return examineMissingDirectory(subject, path) }
      let description = "\(path), \(status.permissions)"
      if !status.isDirectory {
        problem(subject, "\(path) is not a directory. Move it aside, or name another place.")
      } else if status.isWritableByOthers {
        problem(
          subject,
          "\(description), is writable by other users: take that away with chmod go-w \(path).")
      } else if let code = Self.obstacle(toWriting: path) {
        problem(
          subject,
          """
          \(description), cannot be written to: \(SystemError.message(for: code)). Reading may \
          work, saving does not.
          """)
      } else {
        note(subject, description)
      }
    } catch {
      problem(subject, error)
    }
  }

  /// A directory that the first write must make: whether it can depends on the ones above.
  private mutating func examineMissingDirectory(_ subject: String, _ path: String) {
    var ancestor = path.parentDirectory
    while Self.obstacle(toWriting: ancestor) == ENOENT, ancestor != ancestor.parentDirectory {
      ancestor = ancestor.parentDirectory
    }
    if let code = Self.obstacle(toWriting: ancestor) {
      problem(
        subject,
        """
        \(path) is not there and cannot be made in \(ancestor): \(SystemError.message(for: code)). \
        Make it, for this user alone, or name another place.
        """)
    } else {
      note(subject, "\(path), not there: the first write makes it")
    }
  }

  /// The error number that writing into a directory would meet; nil when nothing is in the way.
  private static func obstacle(toWriting path: String) -> Int32? {
    // The path is copied by the call, after which nothing else may change `errno`.
    unsafe access(path, W_OK) == 0 ? nil : errno
  }

  fileprivate mutating func examine(_ contents: VaultContents) {
    let table = contents.keys.table
    examineSlots(contents)
    if contents.sealedRecords > 0 {
      note("Items", "not known as long as the vault is locked")
    } else {
      note("Items", "\(contents.index.count)")
    }
    if let interrupted = contents.interruptedWrite {
      note(
        "Interrupted write",
        "\(interrupted.place): never acknowledged, and the next write cuts it off")
    }
    if !contents.damage.isEmpty {
      problem(
        "Damage",
        """
        \(contents.damage.description). What is intact stays readable: restore a backup, or save \
        what is left with repair().
        """)
    }
    // Damage that leaves no table of keys is what the last line said.
    if let distrust = contents.distrust, table != nil || contents.damage.isEmpty {
      problem("Content", distrust)
    }
  }

  fileprivate mutating func examine(_ cipher: any SecretCipher) {
    guard cipher is OpenSSLCipher else {
      return note("Cryptography", "\(type(of: cipher)), which the app brings")
    }
    do {
      note("Cryptography", "OpenSSL, as \(try LibCrypto.shared.get().name)")
    } catch {
      problem("Cryptography", "\(error)")
    }
  }
}

extension FileStatus {
  fileprivate var permissions: String {
    "mode 0" + String(mode & 0o7777, radix: 8) + (owner == geteuid() ? "" : ", of user \(owner)")
  }

  /// Whether others may put another file in the place of one in this directory.
  fileprivate var isWritableByOthers: Bool { mode & 0o022 != 0 && mode & S_ISVTX == 0 }
}

extension FileSystem {
  /// What is at a path, or where a symbolic link there leads; nil where there is nothing.
  fileprivate func statusOfTarget(of path: String) throws(SystemError) -> FileStatus? {
    do {
      return try open(path, O_RDONLY | O_NONBLOCK).status()
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }
}
