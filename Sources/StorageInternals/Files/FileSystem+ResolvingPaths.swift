import CLibrary

// Resolving symbolic links, and splitting a path into its parts.

/// A step in the resolution of a path: a directory, and the name that is looked up in it.
package struct PathStep: Equatable, Sendable {
  /// The directory, without symbolic links.
  package let directory: String
  /// The name of a link, of the file or of a missing entry; nil for an intermediate directory.
  package let name: String?

  // Bytes are compared, because canonically equivalent paths may refer to different files.
  package static func == (first: PathStep, second: PathStep) -> Bool {
    first.directory.isSamePath(as: second.directory)
      && (first.name ?? "/").isSamePath(as: second.name ?? "/")
  }
}

extension FileSystem {
  /// Returns a path with all symbolic links resolved, even if the file does not exist.
  package func resolve(_ path: String) throws(SystemError) -> String {
    var walk = PathWalk(path, self)
    try walk.resolve()
    return walk.position
  }

  /// Returns the steps of a path's resolution.
  package func steps(of path: String) -> [PathStep] {
    var walk = PathWalk(path, self)
    // The steps before an error include those whose changes can resolve it.
    try? walk.resolve()
    return walk.steps
  }
}

private struct PathWalk {
  private let path: String
  private let fileSystem: FileSystem
  private(set) var position: String
  private(set) var steps: [PathStep] = []
  /// The remaining components in reverse order.
  private var rest: [Substring]
  private var links = 0

  /// The kernel's limit of symbolic links in a path.
  private static let linkLimit = 40

  init(_ path: String, _ fileSystem: FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
    position = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    rest = path.pathComponents.reversed()
  }

  mutating func resolve() throws(SystemError) {
    if path.isEmpty { throw failure(ENOENT) }
    if let code = path.refusalCode { throw failure(code) }
    while let component = rest.popLast() {
      switch component {
      case ".": break
      case "..": position = position.parentInPath
      default:
        do {
          try follow(String(component))
        } catch {
          // Only a replacement of this directory can resolve the error.
          stepToPosition()
          throw error
        }
      }
    }
  }

  private mutating func follow(_ name: String) throws(SystemError) {
    let next = position.child(name)
    let target: String
    do {
      target = try fileSystem.linkTarget(of: next)
    } catch let error where error.code == EINVAL {
      // The entry exists, and is not a symbolic link.
      steps.append(PathStep(directory: position, name: rest.isEmpty ? name : nil))
      position = next
      return
    } catch let error where error.code == ENOENT && !rest.contains("..") {
      // Without a `..`, which a missing directory could not resolve, the rest is appended as it is.
      return end(name)
    }
    steps.append(PathStep(directory: position, name: name))
    links += 1
    if links > Self.linkLimit { throw failure(ELOOP) }
    if target.utf8.first == UInt8(ascii: "/") { position = "/" }
    rest.append(contentsOf: target.pathComponents.reversed())
  }

  private mutating func end(_ name: String) {
    // If the directory is empty, its removal causes no event for an entry.
    stepToPosition()
    steps.append(PathStep(directory: position, name: name))
    position = position.child(name)
    for component in rest.reversed() where component != "." {
      position = position.child(String(component))
    }
    rest = []
  }

  private mutating func stepToPosition() {
    let name = position.lastComponent
    if name.isEmpty || name == "." || name == ".." { return }
    steps.append(PathStep(directory: position.parentDirectory, name: name))
  }

  private func failure(_ code: Int32) -> SystemError {
    SystemError(call: .readlink, path: path, code: code)
  }
}

extension String {
  fileprivate var pathComponents: [Substring] {
    utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  fileprivate func child(_ name: String) -> String {
    switch self {
    case "/": "/" + name
    case ".": name
    default: self + "/" + name
    }
  }

  /// The parent of a path without symbolic links.
  fileprivate var parentInPath: String {
    switch lastComponent {
    case ".": ".."
    case "..": self + "/.."
    default: parentDirectory
    }
  }
}

// Paths are split by bytes, as in the kernel: a slash may be only a part of a `Character`.
extension String {
  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  package var lastComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  /// Returns the path of a companion, such as the lock; the affixes have at most 40 bytes together.
  package func companion(_ suffix: String, prefix: String = "") -> String {
    "\(parentDirectory)/\(prefix)\(companionName)\(suffix)"
  }

  /// The name of the file in the names of its companions.
  ///
  /// Names have at most 255 bytes, so one of over 215 becomes its beginning and a hash (FNV-1a).
  package var companionName: String {
    let name = lastComponent
    if name.utf8.count <= 215 { return name }
    var end = name.utf8.index(name.startIndex, offsetBy: 190)
    while end.samePosition(in: name.unicodeScalars) == nil { name.utf8.formIndex(before: &end) }
    let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return "\(name[..<end])~\(String(hash, radix: 16))"
  }

  package func isSamePath(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The error number for a path in place of which the kernel would use a different one.
  ///
  /// A NUL byte would end the path (`EINVAL`). U+FFFD stands for bytes that are not UTF-8
  /// (`EILSEQ`), as in the working directory. `strlen` and `strstr` are much faster than a loop.
  var refusalCode: Int32? {
    unsafe withCString { path in
      if unsafe strlen(path) != utf8.count { return EINVAL }
      return unsafe strstr(path, "\u{FFFD}") == nil ? nil : EILSEQ
    }
  }
}
