import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

/// The work to read or refuse growing sources.
struct LinearWorkTests {
  /// Expects linear work for a text of repeated parts.
  private func expectLinear(
    _ name: String, _ start: String, _ end: String = "", _ part: (Int) -> String,
    _ read: ([UInt8]) throws(MigrationError) -> Void
  ) {
    TestSupport.expectLinear(name, from: 1000) { count in
      Array((start + (0..<count).map(part).joined() + end).utf8)
    } _: { bytes in
      do throws(MigrationError) {
        try read(bytes)
      } catch {
        // Finding an error takes linear time as well.
      }
    }
  }

  @Test(arguments: [
    ("A\u{0}=1\n", ""), ("A=1\n", ""), ("# A\n", ""), ("\n", "x"), (" ", "A=1"), ("\r", ""),
    ("\\", ""),
    ("a", "='"), ("$A", ""), ("export ", "A=1"), ("='", ""), ("A='b\n' ", "\n"),
  ])
  func ofEnvironmentFiles(_ part: String, _ end: String) {
    for start in ["", "A='", "A=\"", "A="] {
      expectLinear("\(start)\(part)", start, end) { number in
        part.replacing("\u{0}", with: "\(number)")
      } _: { bytes throws(MigrationError) in
        _ = try EnvironmentParser(bytes, of: "file")
      }
    }
  }

  @Test(arguments: [
    "[a\u{0}]\n", "[a\u{0}]\nb = c\n", "a\u{0} = b\n", "a = b\n", " b\n", "# a\n", "\n", " ", "=",
    "[",
    "_20", "\\",
  ])
  func ofCryptFiles(_ part: String) {
    for start in ["", "[a]\n", "[a]\nb = c\n", "[a]\nb ="] {
      expectLinear("\(start)\(part)", start) { number in
        part.replacing("\u{0}", with: "\(number)")
      } _: { bytes throws(MigrationError) in
        _ = try CryptFile(ConfigurationFile(bytes, of: "file"), of: "file")
      }
    }
  }

  @Test func ofItemsOfKeychainExports() {
    let item = #"{"class": "genp", "v_Data": "BwcH", "labl": "a", "acct": "b"}"#
    let files: [(start: String, part: String, end: String)] = [
      ("[", item + ", ", item + "]"), ("[", "[", ""), ("[", "{\"a\": ", ""), ("[", "{}, ", "{}]"),
      ("[{", "\"a\": 1, ", "\"class\": \"genp\"}]"), ("[\"", "\\u0041", "\"]"), ("[\"", "\\", ""),
      ("[1", "1", "]"), ("<plist><array>", "<dict></dict>", "</array></plist>"),
      ("<plist><array>", "<array>", ""), ("<plist><array>", "<!-- ", ""),
      ("<plist><array><dict>", "<key>a</key><true/>", "</dict></array></plist>"),
      ("<plist><array><string>", "&amp;", "</string></array></plist>"),
      ("<plist><array><data>", "AAAA", "</data></array></plist>"),
      ("<plist><array>", "<![CDATA[", ""), ("<plist><array>", "<?a ?>", "</array></plist>"),
      ("<plist", " a='b'", "><array/></plist>"), ("<plist><array", " ", "/></plist>"),
    ]
    for (start, part, end) in files {
      expectLinear("\(start)\(part)", start, end) { _ in
        part
      } _: { bytes throws(MigrationError) in
        let list: KeychainItems = try ExportDocument(bytes, of: "file").decode()
        for item in list.items {
          do throws(MigrationError) {
            _ = try item.foreignSecret(at: "item", of: "file")
          } catch {
            // The item is no password.
          }
        }
      }
    }
  }

  /// One item with many attributes.
  @Test func ofItemsOfLibsecretKeyrings() {
    TestSupport.expectLinear("attributes", from: 1000) { count in
      let entries = (0..<count).map { number -> [UInt8] in
        let name = Array("\(number)".utf8) + [0]
        return name + Array("b\0".utf8) + [UInt8(name.count)]
      }
      var end = 0
      let ends = entries.map { entry in
        end += entry.count
        return end
      }
      // The offset size of a container of this size.
      let size = end + 4 * count > 0xFFFF ? 4 : 2
      func offset(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      var item = entries.flatMap(\.self) + ends.flatMap { offset($0, size) }
      let dictionary = item.count
      item += Array("label\0".utf8)
      let label = item.count
      item += [UInt8](repeating: 0, count: (8 - label % 8) % 8 + 16) + Array("secret".utf8)
      let outer = item.count + 8 > 0xFFFF ? 4 : 2
      return Secret(item + offset(label, outer) + offset(dictionary, outer))
    } _: { item in
      #expect(LibsecretItem(item) != nil)
    }
  }
}
