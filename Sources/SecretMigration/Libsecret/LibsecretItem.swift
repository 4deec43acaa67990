import SecretStorage

/// An item of a keyring, decrypted: the GVariant `(a{ss}sttay)`.
struct LibsecretItem {
  let attributes: [String: String]
  let label: String
  /// Seconds since 1970.
  let created: UInt64
  let secret: Secret

  /// Reads what was decrypted; nil when that is no item.
  init?(_ content: Secret) {
    // The bytes are copied inside of the closure.
    let parts = unsafe content.withUnsafeBytes { bytes in unsafe Self.parts(of: bytes) }
    guard let parts else { return nil }
    (attributes, label, created, secret) = parts
  }

  private typealias Reader = VariantReader<UnsafeRawBufferPointer>

  private static func parts(
    of bytes: UnsafeRawBufferPointer
  ) -> ([String: String], String, UInt64, Secret)? {
    do throws(MalformedVariant) {
      let reader = unsafe Reader(bytes)
      let (ends, body) = unsafe try reader.members(2, of: reader.whole)
      var attributes: [String: String] = [:]
      let dictionary = unsafe try reader.range(0, ends[0], in: body)
      for entry in unsafe try reader.elements(of: dictionary) {
        let (ends, body) = unsafe try reader.members(1, of: entry)
        let name = unsafe try reader.text(reader.range(body.lowerBound, ends[0], in: body))
        let value = unsafe try reader.text(reader.range(ends[0], body.upperBound, in: body))
        guard attributes.updateValue(value, forKey: name) == nil else { return nil }
      }
      let label = unsafe try reader.text(reader.range(ends[0], ends[1], in: body))
      let created = unsafe Reader.aligned(ends[1], to: 8)
      let secret = unsafe try reader.range(created + 16, body.upperBound, in: body)
      return (
        attributes, label, unsafe try reader.uint64(at: created, in: body),
        unsafe Secret(reader.slice(secret))
      )
    } catch {
      return nil
    }
  }
}
