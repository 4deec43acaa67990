#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Where a path leads after its symbolic links.
package struct ResolvedPath: Sendable {
  /// The path of the file, without symbolic links; nothing need be there.
  package let path: String
  /// What decided about it, from the first directory to the last.
  package let steps: [PathStep]
}

/// A directory on the way of a path, to be watched for the path to lead elsewhere.
package struct PathStep: Sendable {
  /// The directory, without symbolic links.
  package let directory: String
  /// The name in it that is a symbolic link, or the file, or missing; nil for a directory, of which
  /// it is enough to know whether it is moved itself.
  package let name: String?
}

extension PathStep: Equatable {
  // By bytes: paths that are equal as text can be those of different files.
  package static func == (first: PathStep, second: PathStep) -> Bool {
    first.directory.isSamePath(as: second.directory)
      && (first.name ?? "/").isSamePath(as: second.name ?? "/")
  }
}

extension FileSystem {
  /// Follows the symbolic links of a path, component by component.
  ///
  /// The file need not be there, nor the directories on the way. A link that leads nowhere gives
  /// the path that it leads to: there the file would be made.
  package func resolve(_ path: String) throws(SystemError) -> ResolvedPath {
    let walk = walk(path)
    return ResolvedPath(path: try walk.result.get(), steps: walk.steps)
  }

  /// The steps of a path as far as it can be followed, and where it leads.
  func walk(_ path: String) -> (steps: [PathStep], result: Result<String, SystemError>) {
    var walk = PathWalk(path, self)
    do throws(SystemError) {
      try walk.toTheEnd()
      return (walk.steps, .success(walk.position))
    } catch {
      return (walk.steps, .failure(error))
    }
  }
}

/// The following of a path.
private struct PathWalk {
  private let path: String
  private let fileSystem: FileSystem
  /// How far it has come; no symbolic link is in it.
  private(set) var position: String
  private(set) var steps: [PathStep] = []
  /// What is still to be followed, the next one last.
  private var rest: [Substring]
  private var links = 0

  /// As many as Linux itself follows.
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
          // What can mend it is another thing in the place of this directory.
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
      // Nothing is beyond a missing directory, so also nothing above it by that way.
      default: throw error
      }
    }
    steps.append(PathStep(directory: position, name: name))
    links += 1
    if links > Self.mostLinks { throw failure(ELOOP) }
    if target.utf8.first == UInt8(ascii: "/") { position = "/" }
    rest.append(contentsOf: target.pathComponents.reversed())
  }

  /// Goes on with what is there and no link.
  private mutating func pass(_ name: String) {
    steps.append(PathStep(directory: position, name: rest.isEmpty ? name : nil))
    position = position.child(name)
  }

  /// Ends where nothing is.
  private mutating func end(_ name: String) {
    // The directory can be removed without further notice, now that it may be empty.
    stepToPosition()
    steps.append(PathStep(directory: position, name: name))
    position = position.child(name)
    for component in rest.reversed() where component != "." {
      position = position.child(String(component))
    }
    rest = []
  }

  /// Notes the entry of the directory reached, in the one above it.
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

  /// What `..` leads to from this path, which has no symbolic link in it.
  fileprivate var parentInPath: String {
    switch lastComponent {
    case ".": ".."
    case "..": self + "/.."
    default: parentDirectory
    }
  }
}
