/// The decrypted attributes of a record of items, and the sealed secrets that follow them.
final class RecordBody: Sendable {
  let attributes: [UInt8]
  let secrets: ArraySlice<UInt8>

  init(attributes: [UInt8], secrets: ArraySlice<UInt8>) {
    self.attributes = attributes
    self.secrets = secrets
  }
}
