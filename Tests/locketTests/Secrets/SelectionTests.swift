import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import locket

/// The secret that options select.
final class SelectionTests: ToolTests {
  @Test func setAndDeleteMeanExactlyTheirOptions() throws { try expectTranscript() }

  /// Options that omit at least one part of an internet password.
  @Test func omittedPartsSelectAnotherSecret() throws {
    let parts = [
      "--account a", "--domain d", "--protocol ssh", "--authentication ntlm", "--port 1",
      "--path p",
    ]
    try machine.store("tajny", "--server s \(parts.joined(separator: " "))")
    let vault = machine.vault
    for mask in 0..<(1 << parts.count) {
      let given = parts.indices.filter { mask & 1 << $0 != 0 }.map { parts[$0] }
      let words = (["--server s"] + given).flatMap(\.words)
      for command in [Command.setSecret, .deleteSecret] {
        let item = try Arguments(words, for: command).item(in: vault, allowingMoreParts: false)
        #expect((item != nil) == (given == parts), "\(words)")
      }
    }
  }

  /// Identities with unusual texts in each part.
  private static var identities: [ItemIdentity] {
    let texts = [
      nil, "", "a", "-h", "--help", "--", "=", "a b's", "\u{1B}[31m\u{202E}\\", "é\t\n", "x\0y",
      "1234", "htps",
    ]
    let all = texts.flatMap { text -> [ItemIdentity] in
      [
        .generic(service: text), .generic(account: text), .generic(service: "s", account: text),
        .internet(server: text), .internet(account: text), .internet(server: "s", path: text),
        .internet(server: "s", securityDomain: text),
        .internet(server: "s", protocol: text.map { InternetProtocol(rawValue: $0) }, port: 0),
        .internet(authenticationType: text.map { InternetAuthenticationType(rawValue: $0) }),
      ]
    }
    return Array(Set(all))
  }

  @Test func listedOptionsSelectTheirSecret() throws {
    let vault = machine.vault
    for identity in Self.identities {
      _ = try vault.add(Secret("tajny"), identity: identity, attributes: ItemAttributes())
    }
    let items = try vault.items(matching: .all)
    _ = try machine.file("list", machine.output("secrets list"))
    // Each word of the options, as the shell passes it, on a line in octal.
    let script = #"""
      while IFS= read -r line; do
        eval "words=(${line%%$'\t'*})"
        printf '%s\0' "${words[@]}" | od -An -v -to1 | tr -d ' \n'
        echo
      done <list
      """#
    let lines = try machine.run(
      ["/bin/bash", "-c", "cd \"$HOME\"; \(script)"], environment: machine.environment()
    ).success.split(separator: "\n")
    #expect(lines.count == items.count)
    for (line, item) in zip(lines, items) {
      let words = try Self.words(octal: line)
      #expect(!words.contains("-h") && !words.contains("--help"))
      for command in [Command.getSecret, .setSecret, .deleteSecret] {
        let arguments = try Arguments(words, for: command)
        for allowing in [false, true] {
          #expect(try arguments.item(in: vault, allowingMoreParts: allowing)?.id == item.id)
        }
      }
    }
  }

  /// The words in the octal digits of their bytes, each of which ends with a zero byte.
  private static func words(octal line: Substring) throws -> [String] {
    let digits = Array(line)
    let bytes = stride(from: 0, to: digits.count, by: 3).compactMap {
      UInt8(String(digits[$0..<$0 + 3]), radix: 8)
    }
    return try bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      try #require(String(validating: $0, as: UTF8.self))
    }
  }

  @Test func idSelectsASecretThatNoOptionsSelect() throws {
    let vault = machine.vault
    let added = try vault.add(
      Secret("tajny"), identity: .generic(service: "x\0y"), attributes: ItemAttributes())
    let id = added.id.uuid.uuidString.lowercased()
    #expect(try machine.output("secrets list") == "--id \(id)\t\n")
    #expect(try machine.output("secrets get --id \(id)") == "tajny\n")
    let options = "--id \(id.prefix(8))"
    #expect(try machine.output("secrets get \(options)") == "tajny\n")
    try machine.store("new", options)
    #expect(try vault.secret(of: added.id)?.secret == Secret("new"))
    try machine.output("secrets delete \(options)")
    let absent = try machine.run("secrets set \(options)", input: "new")
    #expect(absent.status == 1 && absent.errors == "locket: There is no such secret.\n")
    #expect(try machine.output("secrets list") == "")
  }
}
