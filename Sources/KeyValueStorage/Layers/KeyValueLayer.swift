public import FoundationEssentials

/// One layer of the settings of a store, such as the environment or a file.
///
/// See ``KeyValueStore/init(layers:writes:version:migrations:)``.
public struct KeyValueLayer: Sendable {
  enum Content: Sendable {
    /// Texts, each with its name: the variable, or the option with its hyphens.
    case text(TextNaming, [(name: String, text: String)])
    case backend(any KeyValueBackend, isReadOnly: Bool)
  }

  let content: Content

  /// Creates a layer of the options of a command line.
  ///
  /// The key `server.port` is set by `--server.port 8443` or `--server.port=8443`, and the member
  /// `port` of the structure `server` by `--server:port 8443`. An option without a value is `true`:
  /// the argument after an option is its value unless it begins with a hyphen, but negative numbers
  /// are values. A repeated option is an array. All other arguments, and those after `--`, are
  /// ignored.
  ///
  /// - Parameter arguments: The arguments without the name of the executable.
  /// - Returns: The layer.
  public static func commandLine(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst())
  ) -> KeyValueLayer {
    KeyValueLayer(content: .text(.commandLine, options(in: arguments)))
  }

  /// Creates a layer of the variables of an environment.
  ///
  /// With the prefix `NOTES_`, the key `server.port` is set by `NOTES_SERVER_PORT`, `maximumSize`
  /// by `NOTES_MAXIMUM_SIZE`, and the member `port` of the structure `server` by
  /// `NOTES_SERVER__PORT`. Letters are uppercase, and each other character than an ASCII letter or
  /// digit is `_`.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the names, including the separator.
  ///   - variables: The environment, which is copied: later changes of it have no effect.
  /// - Returns: The layer.
  public static func environment(
    prefix: String, _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) -> KeyValueLayer {
    let texts = variables.filter { $0.key.utf8.starts(with: prefix.utf8) }
    return KeyValueLayer(
      content: .text(.environment(prefix: prefix), texts.map { (name: $0.key, text: $0.value) }))
  }

  /// Creates a layer of a JSON file, which does not have to exist.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - isReadOnly: Whether the store never writes the file.
  /// - Returns: The layer.
  public static func json(_ file: URL, isReadOnly: Bool = false) -> KeyValueLayer {
    backend(KeyValueStore.backend(file, .json), isReadOnly: isReadOnly)
  }

  /// Creates a layer of a property list, which does not have to exist.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - format: The format of the file.
  ///   - isReadOnly: Whether the store never writes the file.
  /// - Returns: The layer.
  public static func propertyList(
    _ file: URL, format: PropertyListFormat = .xml, isReadOnly: Bool = false
  ) -> KeyValueLayer {
    let format: KeyValueFormat = format == .xml ? .xmlPropertyList : .binaryPropertyList
    return backend(KeyValueStore.backend(file, format), isReadOnly: isReadOnly)
  }

  /// Creates a layer of a custom backend.
  ///
  /// - Parameters:
  ///   - backend: The storage of the values.
  ///   - isReadOnly: Whether the store never writes to the backend.
  /// - Returns: The layer.
  public static func backend(
    _ backend: any KeyValueBackend, isReadOnly: Bool = false
  ) -> KeyValueLayer {
    KeyValueLayer(content: .backend(backend, isReadOnly: isReadOnly))
  }

  private static func options(in arguments: [String]) -> [(name: String, text: String)] {
    var options: [(name: String, text: String)] = []
    var arguments = arguments.prefix { $0 != "--" }
    while let argument = arguments.popFirst() {
      guard argument.utf8.starts(with: "--".utf8) else { continue }
      if let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) {
        let start = argument.utf8.index(after: sign)
        options.append((String(argument[..<sign]), String(argument[start...])))
      } else if let next = arguments.first, next.isOptionValue {
        options.append((argument, next))
        arguments.removeFirst()
      } else {
        options.append((argument, "true"))
      }
    }
    return options
  }
}

extension String {
  /// Whether the argument after an option is its value: a negative number is one, `-v` is not.
  fileprivate var isOptionValue: Bool {
    guard utf8.first == UInt8(ascii: "-") else { return true }
    let rest = utf8.dropFirst()
    return rest.first.map { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ?? true
  }
}
