import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

/// A file of a directory of secrets.
struct SecretFile: Hashable, Sendable {
  /// The path in the directory.
  let name: String
  let identity: ItemIdentity
  /// The status of the file, also if the entry is a symbolic link; nil if it leads to no file.
  let status: FileStatus?
  let isLink: Bool
}

/// The files of a directory of secrets at one time.
struct SecretFiles: Sendable {
  /// The path of the directory without symbolic links; empty if there is no directory.
  var root = ""
  /// The files in the order of their names.
  var files: [SecretFile] = []
  /// The names of the subdirectories that were searched.
  var subdirectories: [String] = []
  /// Whether an equal result of a later search means that no file was changed in between.
  ///
  /// A second change within the same tick of the clock would not change the status of a file.
  var isSettled = true

  func isEqual(to other: SecretFiles) -> Bool {
    root.isSamePath(as: other.root) && files == other.files
      && subdirectories == other.subdirectories
  }
}

/// The search of a directory of secrets, whose content may change at any time.
///
/// Everything in the directory is hostile: the number of entries and the size of a secret are
/// limited, only regular files are opened, and no link leads out.
struct SecretDirectory: Sendable {
  /// The maximum number of entries, including those of subdirectories.
  static let entryLimit = 4096
  private static let attempts = 100

  /// The path of the directory; nil for one without files.
  let path: String?
  let naming: ItemNaming
  let keepsTrailingNewline: Bool
  var fileSystem = FileSystem()

  /// Searches the directory.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` or ``SecretStoreError/insecure(path:reason:)``.
  func search() throws(SecretStoreError) -> SecretFiles {
    guard let path else { return SecretFiles() }
    return try retrying { () throws(SecretStoreError) in try searchOnce(path) }
  }

  /// Searches the directory once; returns nil if it was replaced during the search.
  private func searchOnce(_ path: String) throws(SecretStoreError) -> SecretFiles? {
    let start = FileStatus.now
    let base = try base(of: path)
    let root = try root(base, of: path)
    var found = SecretFiles(root: root)
    var failure: SecretStoreError?
    do throws(SecretStoreError) {
      try list(&found)
    } catch {
      failure = error
    }
    // A directory that was replaced, as by Kubernetes, is removed afterwards, entry by entry.
    guard try self.base(of: path).isSamePath(as: base),
      try self.root(base, of: path).isSamePath(as: root)
    else { return nil }
    if let failure { throw failure }
    let end = FileStatus.now
    found.isSettled = found.files.allSatisfy { file in
      // A time more than a second in the future comes from another clock, such as a file server's.
      file.status.map { $0.changed < start || $0.changed > end &+ 1_000_000_000 } ?? true
    }
    return found
  }

  /// Returns the path that leads to the files: in a volume of Kubernetes, the link `..data`.
  private func base(of path: String) throws(SecretStoreError) -> String {
    let data = path + "/..data"
    return try reading { () throws(SystemError) in try fileSystem.status(of: data) } == nil
      ? path : data
  }

  private func root(_ base: String, of path: String) throws(SecretStoreError) -> String {
    let root = try reading { () throws(SystemError) in try fileSystem.resolve(base) }
    if base != path {
      let outer = try reading { () throws(SystemError) in try fileSystem.resolve(path) }
      try require(root, isInside: outer, base)
    }
    return root
  }

  private func list(_ found: inout SecretFiles) throws(SecretStoreError) {
    var remaining = Self.entryLimit
    var files = try list("", &found, &remaining)
    for directory in found.subdirectories {
      files += try list(directory + "/", &found, &remaining)
    }
    found.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    found.subdirectories.sort()
  }

  /// Returns the files of the directory, or of the subdirectory that a prefix of names ends.
  private func list(
    _ prefix: String, _ found: inout SecretFiles, _ remaining: inout Int
  ) throws(SecretStoreError) -> [SecretFile] {
    let directory = found.root + "/" + prefix
    let limit = remaining + 1
    let names = try reading { () throws(SystemError) in
      try fileSystem.entries(of: directory, limit: limit)
    }
    remaining -= names.count
    if remaining < 0 {
      throw .unavailable(
        """
        \(path ?? "") has more than \(Self.entryLimit) entries. Use a directory for the secrets alone.
        """)
    }
    var files: [SecretFile] = []
    for entry in names where entry.utf8.first != UInt8(ascii: ".") {
      let entryPath = directory + entry
      // An entry without a status was removed, or has a name that is not UTF-8.
      guard
        let own = try reading({ () throws(SystemError) in try fileSystem.status(of: entryPath) })
      else { continue }
      if own.isDirectory {
        if prefix.isEmpty, naming.searchesSubdirectories { found.subdirectories.append(entry) }
        continue
      }
      let status = own.isSymbolicLink ? targetStatus(of: entryPath) : own
      guard !(status?.isDirectory ?? false), let identity = naming.identity(of: prefix + entry)
      else { continue }
      files.append(
        SecretFile(
          name: prefix + entry, identity: identity, status: status, isLink: own.isSymbolicLink))
    }
    return files
  }

  /// Returns the status of a link's target; nil if there is none or it cannot be reached.
  private func targetStatus(of path: String) -> FileStatus? {
    do {
      return try fileSystem.status(of: path, followingLink: true)
    } catch {
      return nil
    }
  }

  /// Reads a file that a search has found; returns nil if it was changed or removed since.
  func read(_ file: SecretFile, in found: SecretFiles) throws(SecretStoreError) -> Secret? {
    let path = found.root + "/" + file.name
    guard let status = file.status else {
      throw .unavailable("\(path) is a symbolic link that leads to no file. Replace it.")
    }
    try requireSecret(status, path)
    var target = path
    if file.isLink {
      target = try reading { () throws(SystemError) in try fileSystem.resolve(path) }
      try require(target, isInside: found.root, path)
    }
    do throws(SystemError) {
      let opened = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
      guard try opened.status().isUnchanged(since: status) else { return nil }
      let secret = try Secret(contentsOf: opened, limit: ItemLimits.secretSize)
      guard try opened.status().isUnchanged(since: status), secret.count == status.size
      else { return nil }
      return keepsTrailingNewline ? secret : secret.withoutTrailingNewline
    } catch {
      // A file that was replaced by a link is found as one by the next search.
      if [ENOENT, ELOOP, ENOTDIR].contains(error.code) { return nil }
      throw SecretStoreError(error)
    }
  }

  /// Calls a closure until it returns a result.
  func retrying<Result>(
    _ body: () throws(SecretStoreError) -> Result?
  ) throws(SecretStoreError) -> Result {
    for _ in 0..<Self.attempts {
      if let result = try body() { return result }
    }
    throw .unavailable(
      "\(path ?? "A directory") changes faster than it can be read. Try again later.")
  }

  /// Opening anything other than a regular file may block, or affect a device.
  private func requireSecret(_ status: FileStatus, _ path: String) throws(SecretStoreError) {
    guard status.isRegularFile else {
      throw .unavailable("\(path) is not a regular file. Replace it by one, or remove it.")
    }
    guard status.size <= ItemLimits.secretSize else {
      throw .unavailable(
        """
        \(path) has \(status.size) bytes, but a secret must not exceed \(ItemLimits.secretSize). \
        Replace the file.
        """)
    }
  }

  private func require(
    _ target: String, isInside directory: String, _ link: String
  ) throws(SecretStoreError) {
    guard target.utf8.starts(with: (directory + "/").utf8) else {
      throw .insecure(
        path: link,
        reason: "is a symbolic link that leads out of \(directory). Use the directory of its target"
      )
    }
  }

  private func reading<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(SecretStoreError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .unavailable(
        """
        The secrets in \(path ?? "a directory") cannot be read. \(error.call.rawValue) of \
        \(error.path) failed: \(SystemError.advice(on: error.code, of: error.call.rawValue))
        """)
    }
  }
}
