import FoundationEssentials
import KeyValueStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Option {
  static let settingsFile = Option(
    "file", "FILE", "the settings, instead of this program's own: a .json or .plist file")
}

extension Parameter {
  static let key = Parameter("KEY", "the setting, by any text; after `--` if it begins with `--`")
}

extension Arguments {
  /// The settings that are meant.
  func settings() throws(UsageError) -> KeyValueStore {
    // A failure that matters is thrown, and one line of it is enough.
    KeyValueStore.onFailure = { _ in }
    guard let path = try path(.settingsFile) else { return .standard }
    let file = URL(filePath: path)
    if path.lowercased().hasSuffix(".json") { return KeyValueStore(json: file) }
    guard path.lowercased().hasSuffix(".plist") else {
      throw UsageError("--file needs a file whose name ends in .json or .plist.")
    }
    return KeyValueStore(propertyList: file, format: Self.isBinary(file.path) ? .binary : .xml)
  }

  /// The options that name these settings in another command, as a shell takes them.
  var settingsOptions: String {
    let option = Option.settingsFile
    return self[option].map { " \(option.spelling) \($0.quotedForShell)" } ?? ""
  }

  /// Whether there is a property list in the binary form, which it is to keep.
  private static func isBinary(_ path: String) -> Bool {
    var status = stat()
    // To open a pipe might wait. Here and below, the path is copied, and the kernel fills a variable
    // of this call; what is wrong with the file is for the store to say.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start = [UInt8](repeating: 0, count: 6)
    return unsafe read(descriptor, &start, start.count) == start.count
      && start == Array("bplist".utf8)
  }
}
