import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

/// Reading sources of many parts: the first ones of each list, and all in a campaign.
struct LinearWorkTests {
  /// Expects linear work for a text of repeated parts.
  private func expectLinear(
    _ start: String, _ end: String = "", _ part: (Int) -> String,
    _ read: ([UInt8]) throws(MigrationError) -> Void
  ) {
    TestSupport.expectLinear { count in
      Array((start + (0..<count).map(part).joined() + end).utf8)
    } _: { bytes in
      do throws(MigrationError) {
        try read(bytes)
      } catch {
        // Finding an error takes linear time as well.
      }
    }
  }

  /// Returns all parts in a campaign, and otherwise the first ones.
  private func sample<Part>(_ parts: [Part], _ count: Int = 2) -> ArraySlice<Part> {
    parts.prefix(Campaign.size(sample: count, full: parts.count))
  }

  @Test func workOnEnvironmentFilesIsLinear() {
    let parts = [
      ("A\u{0}=1\n", ""), ("='", ""), ("A=1\n", ""), ("# A\n", ""), ("\n", "x"), (" ", "A=1"),
      ("\r", ""), ("\\", ""), ("a", "='"), ("$A", ""), ("export ", "A=1"), ("A='b\n' ", "\n"),
    ]
    for start in sample(["", "A='", "A=\"", "A="]) {
      for (part, end) in sample(parts, 1) {
        expectLinear(start, end) { number in
          part.replacing("\u{0}", with: "\(number)")
        } _: { bytes throws(MigrationError) in
          _ = try EnvironmentParser(bytes, of: "file")
        }
      }
    }
  }

  @Test func workOnCryptFilesIsLinear() {
    let parts = [
      "[a\u{0}]\nb = c\n", " b\n", "[a\u{0}]\n", "a\u{0} = b\n", "a = b\n", "# a\n", "\n", " ", "=",
      "[", "_20", "\\",
    ]
    for start in sample(["[a]\nb =", "", "[a]\n", "[a]\nb = c\n"], 1) {
      for part in sample(parts) {
        expectLinear(start) { number in
          part.replacing("\u{0}", with: "\(number)")
        } _: { bytes throws(MigrationError) in
          _ = try CryptFile(ConfigurationFile(bytes, of: "file"), of: "file")
        }
      }
    }
  }

  @Test func workOnKeychainExportsIsLinear() {
    let item = #"{"class": "genp", "v_Data": "BwcH", "labl": "a", "acct": "b"}"#
    let files: [(start: String, part: String, end: String)] = [
      ("[", item + ", ", item + "]"), ("<plist><array>", "<dict></dict>", "</array></plist>"),
      ("[", "[", ""), ("[", "{\"a\": ", ""), ("[", "{}, ", "{}]"),
      ("[{", "\"a\": 1, ", "\"class\": \"genp\"}]"), ("[\"", "\\u0041", "\"]"), ("[\"", "\\", ""),
      ("[1", "1", "]"), ("<plist><array>", "<array>", ""), ("<plist><array>", "<!-- ", ""),
      ("<plist><array><dict>", "<key>a</key><true/>", "</dict></array></plist>"),
      ("<plist><array><string>", "&amp;", "</string></array></plist>"),
      ("<plist><array><data>", "AAAA", "</data></array></plist>"),
      ("<plist><array>", "<![CDATA[", ""), ("<plist><array>", "<?a ?>", "</array></plist>"),
      ("<plist", " a='b'", "><array/></plist>"), ("<plist><array", " ", "/></plist>"),
    ]
    for (start, part, end) in sample(files) {
      expectLinear(start, end) { _ in
        part
      } _: { bytes throws(MigrationError) in
        let list: KeychainItems = try AppleDocument(bytes, of: "file").decode()
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
  @Test func workOnLibsecretKeyringsIsLinear() {
    TestSupport.expectLinear { count in
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
