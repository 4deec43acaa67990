import StorageInternals
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What a process does to the files of some directories, and what a power cut could leave of it.
///
/// The file system says which call comes next, and the files themselves what the last one did. A
/// file's data are safe once it was synchronised, and a name once its directory was. Of all else a
/// cut leaves any part: names in any combination, sizes without data, and data in sectors of 512
/// bytes, the missing ones zero or noise.
final class ModelledDisk: Sendable {
  /// A change that one call made.
  enum Change {
    case write(inode: UInt64, offset: Int, [UInt8])
    case truncate(inode: UInt64, size: Int)
    case synchronize(inode: UInt64)
    /// Names that one call made, changed, or removed; nil where there is none any more.
    case names(directory: String, [String: UInt64?])
    case synchronizeNames(directory: String)
  }

  /// Everything that is in the directories.
  struct Files: Equatable {
    var names: [String: [String: UInt64]] = [:]
    var contents: [UInt64: [UInt8]] = [:]
  }

  private struct State {
    var last = Files()
    var numbers = Numbers()
    var changes: [Change] = []
    var pending: (call: FileSystem.Call, path: String)?
    /// Files that have no name yet and were written to since they were synchronised.
    var unsafe: Set<String> = []
    /// The temporary files that were to have no name.
    var refused: Set<String> = []
  }

  /// Numbers of files, none of which is given twice, as those of the kernel are.
  private struct Numbers {
    private var known: [UInt64: UInt64] = [:]
    private var next: UInt64 = 1

    mutating func number(of inode: UInt64) -> UInt64 {
      if let number = known[inode] { return number }
      defer { next += 1 }
      known[inode] = next
      return next
    }

    mutating func keep(_ inodes: Set<UInt64>) {
      known = known.filter { inodes.contains($0.key) }
    }
  }

  let directories: [String]
  /// What was there, all of it safe, before anything was recorded.
  let start: Files
  private let hasNamelessFiles: Bool
  private let state: Lock<State>

  /// Records what happens in directories from now on, on a file system that has files without a
  /// name or not.
  init(_ directories: [String], hasNamelessFiles: Bool) throws {
    self.directories = directories
    self.hasNamelessFiles = hasNamelessFiles
    var state = State()
    state.last = try Self.files(in: directories, &state.numbers)
    start = state.last
    self.state = Lock(state)
  }

  var fileSystem: FileSystem {
    FileSystem { call, path in
      self.settle()
      return self.state.withLock { state in
        if !self.hasNamelessFiles, call == .open, path.hasSuffix(".tmp"),
          state.refused.insert(path).inserted
        {
          return EOPNOTSUPP
        }
        state.pending = (call, path)
        return nil
      }
    }
  }

  /// The changes until now.
  var changes: [Change] {
    settle()
    return state.withLock { $0.changes }
  }

  private static func files(
    in directories: [String], _ numbers: inout Numbers
  ) throws -> Files {
    var files = Files()
    var inodes: Set<UInt64> = []
    for directory in directories {
      guard try FileSystem().status(of: directory) != nil else { continue }
      var names: [String: UInt64] = [:]
      for name in try FileSystem().entries(of: directory) {
        let path = "\(directory)/\(name)"
        guard let status = try FileSystem().status(of: path), status.isRegularFile else { continue }
        inodes.insert(status.inode)
        let number = numbers.number(of: status.inode)
        names[name] = number
        files.contents[number] = try content(of: path)
      }
      files.names[directory] = names
    }
    numbers.keep(inodes)
    return files
  }

  /// Finds out what the last call did.
  private func settle() {
    state.withLock { state in
      guard let (call, path) = state.pending else { return }
      state.pending = nil
      do {
        try note(call, path, &state)
      } catch {
        fatalError("The modelled disk cannot be looked at: \(error)")
      }
    }
  }

  private func note(_ call: FileSystem.Call, _ path: String, _ state: inout State) throws {
    let inode = state.last.names[path.parentDirectory]?[path.lastComponent]
    switch call {
    case .fsync where directories.contains(path):
      state.changes.append(.synchronizeNames(directory: path))
    case .fsync, .fdatasync:
      if let inode { state.changes.append(.synchronize(inode: inode)) }
      state.unsafe.remove(path)
    case .write where inode == nil:
      state.unsafe.insert(path)
    case .open, .write, .ftruncate, .link, .rename, .unlink, .mkdir:
      let now = try Self.files(in: directories, &state.numbers)
      // A file that gets its first name was synchronised before, or should have been.
      let isSafe = call == .link && state.unsafe.remove(path) == nil
      noteData(from: state.last, to: now, isSafe: isSafe, &state)
      for (directory, names) in now.names {
        let old = state.last.names[directory] ?? [:]
        var changed: [String: UInt64?] = [:]
        for name in Set(old.keys).union(names.keys) where old[name] != names[name] {
          changed.updateValue(names[name], forKey: name)
        }
        if !changed.isEmpty { state.changes.append(.names(directory: directory, changed)) }
      }
      state.last = now
    default: break
    }
  }

  private func noteData(from old: Files, to new: Files, isSafe: Bool, _ state: inout State) {
    for (inode, content) in new.contents where old.contents[inode] != content {
      let before = old.contents[inode] ?? []
      if content.count < before.count {
        state.changes.append(.truncate(inode: inode, size: content.count))
      } else {
        let same = zip(before, content).prefix { $0 == $1 }.count
        state.changes.append(.write(inode: inode, offset: same, Array(content[same...])))
      }
      if isSafe { state.changes.append(.synchronize(inode: inode)) }
    }
  }

  /// Puts files in the place of all that is in the directories.
  func install(_ files: Files) throws {
    for directory in directories {
      try FileSystem().makeDirectories(directory)
      for name in try FileSystem().entries(of: directory) {
        let path = "\(directory)/\(name)"
        if try FileSystem().status(of: path)?.isRegularFile == true {
          try FileSystem().unlink(path)
        }
      }
      for (name, inode) in files.names[directory] ?? [:] {
        let file = try FileSystem().open(
          "\(directory)/\(name)", O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        try file.write(files.contents[inode] ?? [], at: 0)
      }
    }
  }
}
