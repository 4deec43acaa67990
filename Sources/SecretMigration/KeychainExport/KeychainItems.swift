/// The items of an export, up to one more than are taken over.
struct KeychainItems: Decodable {
  let items: [KeychainItem]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var items: [KeychainItem] = []
    while !container.isAtEnd, items.count <= ForeignSecrets.countLimit {
      items.append(try container.decode(KeychainItem.self))
    }
    self.items = items
  }
}
