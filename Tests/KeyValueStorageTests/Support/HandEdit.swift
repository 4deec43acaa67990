import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// The settings of a daemon, in a file that its owner edits by hand.
struct DaemonSettings {
  enum Mode: String, Codable, Sendable {
    case pull, push
  }

  struct Server: Codable, Equatable, Sendable {
    var host = "localhost"
    var port = 80
  }

  let store: KeyValueStore
  let mode: StoredValue<Mode>
  let server: StoredValue<Server>
  let servers: StoredValue<[Server]>
  let volume: StoredValue<Double>

  init(in store: KeyValueStore) {
    self.store = store
    mode = StoredValue(wrappedValue: .pull, "mode", in: store)
    server = StoredValue(wrappedValue: Server(), "server", in: store)
    servers = StoredValue(wrappedValue: [], "servers", in: store)
    volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
  }

  /// The values of all properties, as one text.
  var values: String {
    let servers = servers.wrappedValue.map { "\($0.host):\($0.port)" }.joined(separator: ",")
    return """
      \(mode.wrappedValue) \(server.wrappedValue.host):\(server.wrappedValue.port) \(servers) \
      \(volume.wrappedValue)
      """
  }

  /// The errors of the properties, by key.
  var errors: [String: KeyValueStoreError] {
    var errors: [String: KeyValueStoreError] = [:]
    errors["mode"] = mode.error
    errors["server"] = server.error
    errors["servers"] = servers.error
    errors["volume"] = volume.error
    return errors
  }
}

/// A content of the file, with the place of a mistake marked by `@`.
struct HandEdit {
  /// The mistakes that people make, and none.
  enum Mistake: CaseIterable, CustomTestStringConvertible {
    case rawValue, topLevel, structure, missingMember, array, comma, truncation

    var testDescription: String { "\(self)" }

    /// The key and the end of the message; nil if the file does not parse.
    var message: (key: String, text: String)? {
      switch self {
      case .rawValue: ("mode", "mode is not a valid value of the type Mode")
      case .topLevel: ("volume", "volume is a string, expected a number")
      case .structure: ("server", "server.port is a string, expected a number")
      case .missingMember: ("servers", "servers[1].host is missing")
      case .array: ("servers", "servers[1].port is a Boolean, expected a number")
      case .comma, .truncation: nil
      }
    }
  }

  let bytes: Data
  /// The line and the column of the mark; nil without one.
  private(set) var position: (line: Int, column: Int)?

  /// A content with a number that distinguishes it from others, and perhaps a mistake.
  init(_ format: KeyValueFormat, number: Int, _ mistake: Mistake? = nil) throws {
    if format == .binaryPropertyList {
      bytes = try Self.binary(number: number, mistake)
      return
    }
    let text = format == .json ? Self.json(number, mistake) : Self.xml(number, mistake)
    for (line, content) in text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      guard let mark = content.firstIndex(of: "@") else { continue }
      position = (line + 1, content.distance(from: content.startIndex, to: mark) + 1)
    }
    bytes = Data(text.replacing("@", with: "").utf8)
  }

  private static func json(_ number: Int, _ mistake: Mistake?) -> String {
    let host = mistake == .missingMember ? "@{" : "{\"host\": \"c\", "
    let text = """
      {
        "mode": \(mistake == .rawValue ? "@\"psh\"" : "\"push\"")\(mistake == .comma ? "" : ",")
        \(mistake == .comma ? "@" : "")"server": {
          "host": "a",
          "port": \(mistake == .structure ? "@\"x\"" : "\(number)")
        },
        "servers": [
          {"host": "b", "port": 1},
          \(host)"port": \(mistake == .array ? "@true" : "2")}
        ],
        "volume": \(mistake == .topLevel ? "@\"loud\"" : "0.5")
      }

      """
    return mistake == .truncation ? truncated(text, before: "    \"port\"") : text
  }

  private static func truncated(_ text: String, before part: String) -> String {
    text.firstRange(of: part).map { "\(text[..<$0.lowerBound])@" } ?? text
  }

  private static func xml(_ number: Int, _ mistake: Mistake?) -> String {
    let host = mistake == .missingMember ? "@<dict>" : "<dict><key>host</key><string>c</string>"
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
        <key>mode</key>
        \(mistake == .rawValue ? "@<string>psh</string>" : "<string>push</string>")
        <key>server</key>
        <!-- Its address -->
        <dict>
          <key>host</key> <string>a</string>
          <key>port</key>
          \(mistake == .structure ? "@<string>x</string>" : "<integer>\(number)</integer>")
        </dict>
        <key>servers</key>
        <array>
          <dict><key>host</key><string>b</string> <key>port</key><integer>1</integer></dict>
          <!-- The second one -->
          \(host) <key>port</key>\
      \(mistake == .array ? "@<true/>" : "<integer>2</integer>")</dict>
        </array>
        <key>volume</key> \(mistake == .topLevel ? "@<string>loud</string>" : "<real>0.5</real>")
        \(mistake == .comma ? "@</dic>" : "</dict>")
      </plist>

      """
    return mistake == .truncation ? truncated(text, before: "    <key>port") : text
  }

  private static func binary(number: Int, _ mistake: Mistake?) throws -> Data {
    let file = try TestFile(.binaryPropertyList)
    let store = file.open()
    try store.transaction {
      try store.set(mistake == .rawValue ? "psh" : "push", for: "mode")
      var server: [String: NumberOrText] = ["host": .text("a"), "port": .number(number)]
      if mistake == .structure { server["port"] = .text("x") }
      try store.set(server, for: "server")
      var last: [String: NumberOrText] = ["host": .text("c"), "port": .number(2)]
      if mistake == .array { last["port"] = .flag }
      if mistake == .missingMember { last["host"] = nil }
      try store.set([["host": .text("b"), "port": .number(1)], last], for: "servers")
      if mistake == .topLevel {
        try store.set("loud", for: "volume")
      } else {
        try store.set(0.5, for: "volume")
      }
    }
    let bytes = Data(try file.bytes)
    return mistake == .truncation || mistake == .comma ? bytes.prefix(bytes.count / 2) : bytes
  }

  private enum NumberOrText: Encodable {
    case number(Int)
    case text(String)
    case flag

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .flag: try container.encode(true)
      }
    }
  }
}
