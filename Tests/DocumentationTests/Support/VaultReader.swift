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

/// An item as the reader prints it.
struct ReadItem: Codable, Equatable {
  var name: String
  var revision: UInt64
  var created: Int64
  var modified: Int64
  var `class`: Int
  var accessibility: UInt8
  var flags: UInt32
  var service: String?
  var account: String?
  var server: String?
  var securityDomain: String?
  var `protocol`: String?
  var authenticationType: String?
  var port: UInt16?
  var path: String?
  var label: String?
  var comment: String?
  var itemDescription: String?
  var creator: UInt32?
  var type: UInt32?
  var isInvisible: Int?
  var enrolledSet: String?
  var secret: String?

  init(_ item: SecretItem, _ secret: Secret?) {
    name = item.id.uuid.uuidString.filter { $0 != "-" }.lowercased()
    revision = item.revision
    created = Self.microseconds(item.creationDate)
    modified = Self.microseconds(item.modificationDate)
    `class` = item.identity.itemClass == .generic ? 1 : 2
    accessibility = item.attributes.accessControl.accessibility.rawValue
    flags = item.attributes.accessControl.flags.rawValue
    service = item.identity.service
    account = item.identity.account
    server = item.identity.server
    securityDomain = item.identity.securityDomain
    `protocol` = item.identity.protocol?.rawValue
    authenticationType = item.identity.authenticationType?.rawValue
    port = item.identity.port
    path = item.identity.path
    label = item.attributes.label
    comment = item.attributes.comment
    itemDescription = item.attributes.itemDescription
    creator = item.attributes.creator
    type = item.attributes.type
    isInvisible = item.attributes.isInvisible.map { $0 ? 1 : 0 }
    self.secret = secret?.hexadecimal
  }

  private static func microseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1e6).rounded())
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
