import CLibrary
import FoundationEssentials
import KeyValueStorage

extension Option {
  static let settingsFile = Option(
    "file", "FILE", "the settings file to use instead of the app's: .json or .plist",
    isRepeatable: true)
  fileprivate static let environment = Option(
    "environment", "PREFIX", "use the variables with this prefix as the highest layer")

  /// The options of the commands that write settings.
  static let settingsPlace = [app, settingsFile] + etcdPlace
  /// The options of the commands that read settings, also from several layers.
  static let settingsLayers = settingsPlace + [environment]
}

extension Command {
  /// The notes of the commands that accept layers.
  static let layerNotes = """
    If --file is given several times, the files are layers, highest first: the first one with a key has
    its value. The variables of --environment are above all files: with the prefix NOTES_, the key
    server.port is set by NOTES_SERVER_PORT, and the member port of server by NOTES_SERVER__PORT.
    Dictionaries are merged member by member, arrays are not; null hides lower layers. The text of a
    variable is shown as JSON if it is valid, and else as a string; an app decodes it by the type of the
    property. Names of variables do not determine keys, so only keys and members of the files are shown.
    """
}

extension Arguments {
  /// Returns the settings of the options, for a command that writes them.
  func settings() throws -> KeyValueStore {
    let files = try settingsFiles()
    if files.count == 1 { return files[0] }
    throw UsageError("This command writes a single file, so --file can be given only once.")
  }

  /// Whether the settings have several layers.
  fileprivate var hasLayers: Bool { all(.settingsFile).count > 1 || has(.environment) }

  /// Returns the settings of the options, for a command that reads them.
  func layeredSettings() throws -> KeyValueStore {
    let files = try settingsFiles()
    if !hasLayers { return files[0] }
    let prefix = self[.environment]
    if prefix?.isEmpty ?? false { throw UsageError("--environment needs a prefix.") }
    if files.count > 100 { throw UsageError("--file can be given at most 100 times.") }
    let variables = prefix.map { KeyValueLayer.environment(prefix: $0) }
    return KeyValueStore(layers: [variables].compactMap { $0 } + files.map(\.layer))
  }

  /// Returns the store of each file of the options, highest layer first.
  func settingsFiles() throws -> [KeyValueStore] {
    // Failures are thrown; they must not be reported twice.
    KeyValueStore.onFailure = { _ in }
    if let remote = try etcdSettings() { return [remote] }
    let paths = all(.settingsFile)
    if paths.isEmpty { return [KeyValueStore(applicationName: applicationName)] }
    return try paths.map { path throws(UsageError) in try Self.store(path) }
  }

  private static func store(_ path: String) throws(UsageError) -> KeyValueStore {
    if path.isEmpty { throw UsageError("\(Option.settingsFile.flag) needs a path.") }
    let file = URL(filePath: path)
    if path.lowercased().hasSuffix(".json") { return KeyValueStore(json: file) }
    guard path.lowercased().hasSuffix(".plist") else {
      throw UsageError("--file needs a file whose name ends in .json or .plist.")
    }
    return KeyValueStore(propertyList: file, format: isBinary(file.path) ? .binary : .xml)
  }

  /// The options that select a file of these settings, quoted for a shell.
  func options(of path: String) -> String {
    let files = all(.settingsFile)
    guard let file = files.first else {
      return self[.app].map { " \(Option.app.flag) \($0.quotedForShell)" } ?? ""
    }
    let option = Option.settingsFile.flag
    return " \(option) \((files.count == 1 ? file : path).quotedForShell)"
  }

  /// Returns whether a file is a binary property list; a set keeps this format.
  private static func isBinary(_ path: String) -> Bool {
    var status = stat()
    // Opening a pipe could block. Here and below, the path is copied, and the kernel fills a local
    // variable; the store reports errors of the file.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start = [UInt8](repeating: 0, count: 6)
    return unsafe read(descriptor, &start, start.count) == start.count
      && start == Array("bplist".utf8)
  }
}

extension Arguments {
  /// Prints the settings files and their layers, but no values; returns whether all can be read.
  func printFiles(of settings: KeyValueStore) throws -> Bool {
    let files = try settingsFiles()
    var isReadable = true
    for file in files {
      do {
        let count = try file.keys().count
        let number = count == 1 ? "1 setting" : "\(count) settings"
        let text = "\(file.name.onOneLine) (\(number))"
        try listFinding("  Settings  \(text)", "Settings", text)
      } catch let error as KeyValueStoreError {
        let text = error.text(for: self)
        try listFinding("! Settings  \(text)", "Settings", text, isProblem: true)
        isReadable = false
      }
    }
    if hasLayers, isReadable { return try printPlaces(in: settings, below: files[0]) }
    return isReadable
  }

  /// Prints the keys whose values come from other layers than the written file; returns whether the
  /// names of their variables are unique.
  private func printPlaces(in layers: KeyValueStore, below file: KeyValueStore) throws -> Bool {
    let keys = try layers.keys()
    let conflicts = layers.declare(keys)
    for error in conflicts {
      let text = "\(error)".onOneLine
      try listFinding("! Settings  \(text)", "Settings", text, isProblem: true)
    }
    for key in keys {
      do {
        // Decoding determines the members that variables set.
        _ = try layers.value(of: key, as: JSONValue.self)
      } catch let error as KeyValueStoreError {
        guard error.isOfValue else { throw error }
      }
      let source = layers.source(of: key)
      if source != .store(name: file.name) {
        let text = "\(source)".onOneLine
        try listFinding("    \(key.asListedKey)  \(text)", "Settings", text, key: key)
      }
    }
    for name in layers.unusedNames() {
      try listFinding("    \(name.unused)", "Settings", name.unused)
    }
    return conflicts.isEmpty
  }
}

extension ValueSource {
  /// The description of a variable that sets no setting.
  var unused: String { "\(self) sets no setting of the files".onOneLine }
}
