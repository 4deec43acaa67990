public import FoundationEssentials

/// A layer of a store's settings: options of the command line, environment variables, or a file.
///
/// A store reads each key from the first of its layers that has it; see
/// ``KeyValueStore/init(layers:writes:)``.
public struct KeyValueLayer: Sendable {
  enum Content: Sendable {
    case text(TextLayer)
    case backend(any KeyValueBackend, isWritable: Bool)
  }

  let content: Content

  /// Creates a layer of the command line, with options such as `--server.port 8080` or
  /// `--server.port=8080`.
  ///
  /// An option is `--` and the key. A member of a structure is separated by two underscores, such
  /// as `--server__port`. Each option needs a value; one that begins with `--` needs `=`. Options
  /// that are no settings are ignored, and so is all that follows `--`.
  ///
  /// - Parameter arguments: The arguments without the name of the program. The default value reads
  ///   those of the process, when this method is called and at no other time.
  /// - Returns: The layer.
  public static func commandLine(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst())
  ) -> KeyValueLayer {
    KeyValueLayer(content: .text(TextLayer(arguments: arguments)))
  }

  /// Creates a layer of environment variables, such as `NOTES_LOG_LEVEL` for the key `logLevel` and
  /// the prefix `NOTES_`.
  ///
  /// The name of a key has uppercase letters, and underscores between words and in place of other
  /// characters of ASCII: the key `server.port` is `NOTES_SERVER_PORT`. A member of a structure is
  /// separated by two underscores: the member `port` of `server` is `NOTES_SERVER__PORT`.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the names; variables with other names are not kept.
  ///   - variables: The environment. The default value reads that of the process, when this method
  ///     is called and at no other time.
  /// - Returns: The layer.
  public static func environment(
    prefix: String, _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) -> KeyValueLayer {
    KeyValueLayer(content: .text(TextLayer(variables: variables, prefix: prefix)))
  }

  /// Creates a layer in a JSON file; neither the file nor its directory has to exist.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - isWritable: Whether settings may be written to the file, if no layer above is writable. By
  ///     default, files in `/etc` and `/usr`, which belong to the system, are read-only, and others
  ///     are writable.
  /// - Returns: The layer.
  public static func json(_ file: URL, isWritable: Bool? = nil) -> KeyValueLayer {
    KeyValueLayer(file, KeyValueStore.backend(file, .json), isWritable)
  }

  /// Creates a layer in a property list, in the format ``KeyValueFormat/xml`` or
  /// ``KeyValueFormat/binary``; otherwise like ``json(_:isWritable:)``.
  public static func propertyList(
    _ file: URL, format: KeyValueFormat = .xml, isWritable: Bool? = nil
  ) -> KeyValueLayer {
    KeyValueLayer(file, KeyValueStore.backend(propertyList: file, format), isWritable)
  }

  /// Creates a layer in a backend of the app's own.
  public static func backend(
    _ backend: any KeyValueBackend, isWritable: Bool = true
  ) -> KeyValueLayer {
    KeyValueLayer(content: .backend(backend, isWritable: isWritable))
  }

  private init(content: Content) { self.content = content }

  private init(_ file: URL, _ backend: any KeyValueBackend, _ isWritable: Bool?) {
    let isOfSystem = ["/etc/", "/usr/"].contains { file.standardized.path.hasPrefix($0) }
    content = .backend(backend, isWritable: isWritable ?? !isOfSystem)
  }
}

extension KeyValueLayer: CustomStringConvertible, CustomReflectable {
  /// The name of the layer, such as the path of its file, without any value.
  public var description: String {
    switch content {
    case .text(let layer): layer.naming == .commandLine ? "the command line" : "the environment"
    case .backend(let backend, _): backend.name
    }
  }

  /// A mirror of the name alone, because options and variables may be secrets of other programs.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
