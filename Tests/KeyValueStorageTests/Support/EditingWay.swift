import CLibrary
import StorageInternals

/// The ways in which a program without the lock writes its content to a file.
enum EditingWay: CaseIterable {
  case inPlace, inPlaceLater, rename, unlinkAndCreate

  /// The pause follows the opening of a file that is written in place later.
  func write(_ content: some Collection<UInt8>, to path: String, pause: () -> Void = {}) throws {
    let fileSystem = FileSystem()
    func create(_ path: String) throws {
      try fileSystem.open(path, O_WRONLY | O_TRUNC | O_CREAT, mode: 0o600).write(
        Array(content), at: 0)
    }
    switch self {
    case .inPlace: try create(path)
    case .inPlaceLater:
      let file = try fileSystem.open(path, O_WRONLY)
      pause()
      try file.write(Array(content), at: 0)
      try file.truncate(to: content.count)
    case .rename:
      try create("\(path)~")
      try fileSystem.rename("\(path)~", to: path)
    case .unlinkAndCreate:
      try fileSystem.unlink(path)
      try create(path)
    }
  }
}
