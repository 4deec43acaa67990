import CLibrary

/// A directory on the way of a path, to be watched for changes of the destination.
package struct PathStep: Equatable, Sendable {
  /// The directory, without symbolic links.
  package let directory: String
  /// The name of a symbolic link, the file or a missing entry in the directory; nil if the
  /// directory is only watched for being moved.
  package let name: String?

  // Compared by bytes: paths that are equal as text can lead to different files.
  package static func == (first: PathStep, second: PathStep) -> Bool {
    first.directory.isSamePath(as: second.directory)
      && (first.name ?? "/").isSamePath(as: second.name ?? "/")
  }
}

extension FileSystem {
  /// Returns the path without symbolic links, which it follows component by component.
  ///
  /// Neither the file nor its directories need exist. A dangling link resolves to its target, where
  /// the file would be created.
  package func resolve(_ path: String) throws(SystemError) -> String {
    try walk(path).result.get()
  }

  /// Returns the directories that determine a path, as far as it can be followed, and the path
  /// without symbolic links.
  package func walk(_ path: String) -> (steps: [PathStep], result: Result<String, SystemError>) {
    var walk = PathWalk(path, self)
    do throws(SystemError) {
      try walk.toTheEnd()
      return (walk.steps, .success(walk.position))
    } catch {
      return (walk.steps, .failure(error))
    }
  }
}

/// The state of following a path.
private struct PathWalk {
  private let path: String
  private let fileSystem: FileSystem
  /// The path followed so far, without symbolic links.
  private(set) var position: String
  private(set) var steps: [PathStep] = []
  /// The remaining components, the next one last.
  private var rest: [Substring]
  private var links = 0

  /// The limit of Linux itself.
  private static let mostLinks = 40

  init(_ path: String, _ fileSystem: FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
    position = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
    rest = path.pathComponents.reversed()
  }

  mutating func toTheEnd() throws(SystemError) {
    if path.isEmpty { throw failure(ENOENT) }
    if path.hasNUL { throw failure(EINVAL) }
    while let component = rest.popLast() {
      switch component {
      case ".": break
      case "..": position = position.parentInPath
      default:
        do {
          try take(String(component))
        } catch {
          // Only a replacement of this directory can resolve the error.
          stepToPosition()
          throw error
        }
      }
    }
  }

  private mutating func take(_ name: String) throws(SystemError) {
    let next = position.child(name)
    let target: String
    do {
      target = try fileSystem.linkTarget(of: next)
    } catch {
      switch error.code {
      case EINVAL: return pass(name)
      case ENOENT where !rest.contains(".."): return end(name)
      // A missing directory has no parent entry, so `..` cannot be followed either.
      default: throw error
      }
    }
    steps.append(PathStep(directory: position, name: name))
    links += 1
    if links > Self.mostLinks { throw failure(ELOOP) }
    if target.utf8.first == UInt8(ascii: "/") { position = "/" }
    rest.append(contentsOf: target.pathComponents.reversed())
  }

  /// Continues past an existing entry that is not a link.
  private mutating func pass(_ name: String) {
    steps.append(PathStep(directory: position, name: rest.isEmpty ? name : nil))
    position = position.child(name)
  }

  /// Ends the walk at a missing entry.
  private mutating func end(_ name: String) {
    // The directory may be empty now, so that its removal causes no event of an entry.
    stepToPosition()
    steps.append(PathStep(directory: position, name: name))
    position = position.child(name)
    for component in rest.reversed() where component != "." {
      position = position.child(String(component))
    }
    rest = []
  }

  /// Records the entry of the current directory in its parent.
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

  /// The parent of this path, which contains no symbolic link.
  fileprivate var parentInPath: String {
    switch lastComponent {
    case ".": ".."
    case "..": self + "/.."
    default: parentDirectory
    }
  }
}
