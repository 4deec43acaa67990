import FoundationEssentials

@testable import ValueFormats

/// The output of Foundation's encoder for one value.
enum PropertyListFixtures {
  static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>bytes</key>
    \t<data>
    \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy
    \tMzQ1Njc4OTo7
    \t</data>
    \t<key>day</key>
    \t<date>2026-11-21T15:46:38Z</date>
    \t<key>empty</key>
    \t<array/>
    \t<key>float</key>
    \t<real>0.10000000149011612</real>
    \t<key>infinite</key>
    \t<real>-infinity</real>
    \t<key>inner</key>
    \t<dict>
    \t\t<key>x</key>
    \t\t<dict>
    \t\t\t<key>list</key>
    \t\t\t<array>
    \t\t\t\t<integer>1</integer>
    \t\t\t\t<integer>2</integer>
    \t\t\t\t<integer>3</integer>
    \t\t\t</array>
    \t\t\t<key>name</key>
    \t\t\t<string>a &amp; b &lt;c&gt;</string>
    \t\t\t<key>none</key>
    \t\t\t<array>
    \t\t\t\t<string>$null</string>
    \t\t\t\t<integer>4</integer>
    \t\t\t</array>
    \t\t</dict>
    \t</dict>
    \t<key>large</key>
    \t<integer>18446744073709551615</integer>
    \t<key>ratio</key>
    \t<real>0.8</real>
    \t<key>small</key>
    \t<integer>-1</integer>
    \t<key>text</key>
    \t<string>Grüße \u{1F600}\r
    </string>
    \t<key>yes</key>
    \t<true/>
    </dict>
    </plist>

    """

  static let binary = """
    YnBsaXN0MDDbAQIDBAUGBwgJCgsMDQ4PEBESExQVJ1R0ZXh0U3llc1VzbWFsbFVsYXJnZVVyYXRpb1VmbG9hdFhpbmZpbml0
    ZVNkYXlVYnl0ZXNVaW5uZXJVZW1wdHlqAEcAcgD8AN8AZQAg2D3eAAANAAoJE///////////FAAAAAAAAAAA//////////8j
    P+mZmZmZmZoiPczMzSP/8AAAAAAAADNByFj6LwAAAE8QPAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQl
    JicoKSorLC0uLzAxMjM0NTY3ODk6O9IWFxgkUXhRedMZGhscHSFUbmFtZVRsaXN0VG5vbmVZYSAmIGIgPGM+ox4fIBABEAIQ
    A6IiI1UkbnVsbBAE0xkaGxwlJqMeHyCiIiOgAAgAHwAkACgALgA0ADoAQABJAE0AUwBZAF8AdAB1AH4AjwCYAJ0ApgCvAO4A
    8wD1APcA/gEDAQgBDQEXARsBHQEfASEBJAEqASwBMwE3AToAAAAAAAACAQAAAAAAAAAoAAAAAAAAAAAAAAAAAAABOw==
    """

  /// The XML has one nested dictionary less, a line feed for two characters, and no `Float`.
  static func expected(isBinary: Bool) -> [String: ValueTree] {
    let inner: ValueTree = .dictionary([
      "list": .array([1, 2, 3].map { .number(.integer($0)) }),
      "name": .string("a & b <c>"),
      "none": .array([.null(depth: 0), .number(.integer(4))]),
    ])
    return [
      "text": .string(isBinary ? "Grüße \u{1F600}\r\n" : "Grüße \u{1F600}\n"),
      "yes": .bool(true),
      "small": .number(.integer(-1)),
      "large": .number(.integer(Int128(UInt64.max))),
      "ratio": .number(isBinary ? .real(0.8) : .text("0.8")),
      "float": .number(isBinary ? .float(0.1) : .text("0.10000000149011612")),
      "infinite": .number(.real(-.infinity)),
      "day": .date(Date(timeIntervalSinceReferenceDate: 816_968_798)),
      "bytes": .data(Data((0..<60).map { UInt8($0) })),
      "inner": .dictionary(isBinary ? ["x": inner, "y": inner] : ["x": inner]),
      "empty": .array([]),
    ]
  }
}
