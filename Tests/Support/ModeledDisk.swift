import CLibrary
import Concurrency
package import StorageInternals

/// A model of the writes to some directories, and of the states that a power failure can leave.
///
/// The file system reports each call before it is made; the files show the effect of the last one.
/// Data are durable after an fsync of the file, names after one of the directory. A cut leaves any
/// part of the rest: names in any combination, sizes without data, and data in sectors of 512
/// bytes, the missing ones zero or noise.
package final class ModeledDisk: Sendable {
  package enum Change {
    case write(inode: UInt64, offset: Int, [UInt8])
    case truncate(inode: UInt64, size: Int)
    case synchronize(inode: UInt64)
    /// The names that one call made, changed or removed; nil for a removed one.
    case names(directory: String, [String: UInt64?])
    case synchronizeNames(directory: String)
  }

  package struct Files: Equatable {
    package var names: [String: [String: UInt64]] = [:]
    package var contents: [UInt64: [UInt8]] = [:]
  }

  private struct State {
    var last = Files()
    /// The files' numbers by inode; unlike the kernel's, they are never reused.
    var numbers: [UInt64: UInt64] = [:]
    var numberCount: UInt64 = 0
    var changes: [Change] = []
    var pending: (call: FileSystem.Call, path: String)?
    /// Unnamed files with writes since their last fsync.
    var unsafe: Set<String> = []
    /// The temporary files whose creation without a name was refused.
    var refused: Set<String> = []
  }

  package let directories: [String]
  /// The contents before recording; all of them are durable.
  package let start: Files
  private let hasNamelessFiles: Bool
  private let state: Lock<State>

  /// Records the changes in directories from now on, on a file system with or without O_TMPFILE.
  package init(_ directories: [String], hasNamelessFiles: Bool) throws {
    self.directories = directories
    self.hasNamelessFiles = hasNamelessFiles
    var state = State()
    state.last = try Self.files(in: directories, &state)
    start = state.last
    self.state = Lock(state)
  }

  package var fileSystem: FileSystem { fileSystem(fault: { _, _ in nil }) }

  /// A file system on this disk whose calls may fail with a code, without any effect.
  package func fileSystem(
    fault: @escaping @Sendable (FileSystem.Call, String) -> Int32?
  ) -> FileSystem {
    FileSystem { call, path in
      self.settle()
      if let code = fault(call, path) { return code }
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

  package var changes: [Change] {
    settle()
    return state.withLock { $0.changes }
  }

  private static func files(in directories: [String], _ state: inout State) throws -> Files {
    var files = Files()
    var inodes: Set<UInt64> = []
    for directory in directories {
      guard try FileSystem().status(of: directory) != nil else { continue }
      var names: [String: UInt64] = [:]
      for name in try FileSystem().entries(of: directory) {
        let path = "\(directory)/\(name)"
        guard let status = try FileSystem().status(of: path), status.isRegularFile else { continue }
        inodes.insert(status.inode)
        let number = state.numbers[status.inode] ?? state.numberCount + 1
        state.numberCount = max(state.numberCount, number)
        state.numbers[status.inode] = number
        names[name] = number
        files.contents[number] = try content(of: path)
      }
      files.names[directory] = names
    }
    state.numbers = state.numbers.filter { inodes.contains($0.key) }
    return files
  }

  private func settle() {
    state.withLock { state in
      guard let (call, path) = state.pending else { return }
      state.pending = nil
      do {
        try note(call, path, &state)
      } catch {
        fatalError("The modeled disk cannot be looked at: \(error)")
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
    case .open, .write, .ftruncate, .link, .rename, .renameat2, .unlink, .mkdir:
      let now = try Self.files(in: directories, &state)
      // The data must be durable before a file gets its first name.
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

  package func install(_ files: Files) throws {
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

  /// Returns the files that a power failure leaves after a number of changes.
  ///
  /// The odds, in quarters, are those of each change that is not durable; random ones by default.
  package func files(
    cutAfter count: Int, of changes: [Change], odds: Int? = nil,
    using generator: inout SeededGenerator
  ) -> Files {
    var safe = start
    var data: [UInt64: [Change]] = [:]
    var names: [String: [Change]] = [:]
    for change in changes[..<count] {
      switch change {
      case .write(let inode, _, _), .truncate(let inode, _): data[inode, default: []].append(change)
      case .synchronize(let inode):
        for change in data[inode] ?? [] { safe.apply(change) }
        data[inode] = nil
      case .names(let directory, _): names[directory, default: []].append(change)
      case .synchronizeNames(let directory):
        for change in names[directory] ?? [] { safe.apply(change) }
        names[directory] = nil
      }
    }
    let pending =
      names.keys.sorted().flatMap { names[$0] ?? [] }
      + data.keys.sorted().flatMap { data[$0] ?? [] }
    let isTorn = odds == nil
    let odds = odds ?? Int.random(in: 0...4, using: &generator)
    for change in pending {
      if Int.random(in: 0..<4, using: &generator) < odds {
        safe.apply(change)
      } else if isTorn, Bool.random(using: &generator) {
        safe.tear(change, using: &generator)
      }
    }
    return safe
  }
}

extension ModeledDisk.Files {
  fileprivate mutating func apply(_ change: ModeledDisk.Change) {
    switch change {
    case .write(let inode, let offset, let bytes):
      var content = contents[inode] ?? []
      if content.count < offset + bytes.count {
        content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      contents[inode] = content
    case .truncate(let inode, let size):
      contents[inode] = Array((contents[inode] ?? []).prefix(size))
    case .names(let directory, let changed):
      for (name, inode) in changed { names[directory, default: [:]][name] = inode }
    case .synchronize, .synchronizeNames: break
    }
  }

  /// Applies part of a write: its size, and any of its sectors.
  fileprivate mutating func tear(
    _ change: ModeledDisk.Change, using generator: inout SeededGenerator
  ) {
    guard case .write(let inode, let offset, let bytes) = change else { return }
    let old = contents[inode] ?? []
    let isNoise = Bool.random(using: &generator)
    // The new size may appear without the data, or in part.
    let end = offset + bytes.count
    let size =
      Bool.random(using: &generator) ? end : Int.random(in: offset...end, using: &generator)
    var content = old
    while content.count < size {
      content.append(isNoise ? UInt8.random(in: .min ... .max, using: &generator) : 0)
    }
    let odds = Int.random(in: 0...3, using: &generator)
    var position = offset
    while position < min(end, content.count) {
      let next = min((position / 512 + 1) * 512, end, content.count)
      if Int.random(in: 0..<4, using: &generator) < odds {
        content.replaceSubrange(position..<next, with: bytes[(position - offset)..<(next - offset)])
      }
      position = next
    }
    contents[inode] = content
  }
}
