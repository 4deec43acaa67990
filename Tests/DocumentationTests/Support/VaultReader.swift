import FoundationEssentials
import SecretStorage
import TestSupport

/// The vault reader in Python, in the folder of the same name.
enum VaultReader {
  static let isAvailable = (try? Python.run("import hashlib; hashlib.scrypt")) != nil

  /// The items of a vault opened by an option such as `--passphrase`, or else by this device;
  /// `--application-password` opens items that need one, `--export` reads an exported vault.
  static func items(_ vault: URL, _ state: URL, _ option: [String] = []) throws -> [ReadItem] {
    let output = try run("vault_reader.py", [vault.path, state.path] + option)
    return try JSONDecoder().decode([ReadItem].self, from: Data(output.utf8))
  }

  static func add(service: String, secret: String, to vault: URL, _ state: URL) throws {
    _ = try run("vault_writer.py", [vault.path, state.path, service, secret])
  }

  private static func run(_ script: String, _ arguments: [String]) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path + "/VaultReader"
    // As by `python3 -B`, with the script and its arguments.
    let program = """
      import runpy, sys
      sys.dont_write_bytecode, sys.path[0] = True, "\(folder)"
      del sys.argv[0]
      runpy.run_path(sys.argv[0], run_name="__main__")
      """
    return try Python.run(program, ["\(folder)/\(script)"] + arguments)
  }
}

/// The fields of an item as the reader prints them.
typealias ReadItem = [String: String]

extension ReadItem {
  init(_ item: SecretItem, _ secret: Secret?) {
    let (identity, attributes) = (item.identity, item.attributes)
    func microseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1e6).rounded()) }
    let fields: [String: (any CustomStringConvertible)?] = [
      "name": item.id.uuid.uuidString.filter { $0 != "-" }.lowercased(),
      "revision": item.revision, "created": microseconds(item.creationDate),
      "modified": microseconds(item.modificationDate),
      "class": identity.itemClass == .generic ? 1 : 2,
      "accessibility": attributes.accessControl.accessibility.rawValue,
      "flags": attributes.accessControl.flags.rawValue, "service": identity.service,
      "account": identity.account, "server": identity.server,
      "securityDomain": identity.securityDomain, "protocol": identity.protocol?.rawValue,
      "authenticationType": identity.authenticationType?.rawValue, "port": identity.port,
      "path": identity.path, "label": attributes.label, "comment": attributes.comment,
      "itemDescription": attributes.itemDescription, "creator": attributes.creator,
      "type": attributes.type, "isInvisible": attributes.isInvisible.map { $0 ? 1 : 0 },
      "secret": secret?.hexadecimal,
    ]
    self = fields.compactMapValues { $0?.description }
  }
}

extension Secret {
  fileprivate var hexadecimal: String {
    // The bytes are copied inside the closure.
    unsafe withUnsafeBytes { bytes in
      let digits = Array("0123456789abcdef")
      return String(unsafe bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
  }
}
