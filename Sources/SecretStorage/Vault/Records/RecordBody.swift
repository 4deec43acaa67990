/// The decrypted attributes and the sealed secrets of a record of items.
final class RecordBody: Sendable {
  let attributes: [UInt8]
  let secrets: ArraySlice<UInt8>

  init(attributes: [UInt8], secrets: ArraySlice<UInt8>) {
    self.attributes = attributes
    self.secrets = secrets
  }
}
