import FoundationEssentials
import SecretStorage

extension Chapter {
  static let damage = Chapter(title: "A damaged vault") { stage in
    let file = stage.file("damaged")
    var ends: [Int] = []
    for name in ["one", "two", "three"] {
      @GenericPassword(service: name, account: "peter", in: stage.vault("damaged")) var secret:
        String?
      secret = "the secret of \(name)"
      ends.append(try Data(contentsOf: file).count)
    }
    var content = try Data(contentsOf: file)
    let place = (ends[0] + ends[1]) / 2
    content[place] ^= 1
    try content.write(to: file)
    try stage.say("Three secrets are stored, and then one bit of the file flips, in byte \(place).")

    let vault = stage.vault("damaged")
    @GenericPassword(service: "one", account: "peter", in: vault) var one: String?
    @GenericPassword(service: "two", account: "peter", in: vault) var two: String?
    @GenericPassword(service: "three", account: "peter", in: vault) var three: String?
    try await stage.showFailure("try $two.load()") { () throws in try $two.load()
    }
    try stage.show("three   // intact items stay readable", three)
    let damage = try vault.verify().damage
    try stage.show("try vault.verify().damage", damage.map { stage.shortened($0) }.joined())
    let saved = try vault.salvageableItems().compactMap(\.item.identity.service)
    try stage.show("try vault.salvageableItems()", saved)
    _ = try vault.repair()
    try stage.show("try vault.repair(); try vault.verify().isSound", try vault.verify().isSound)
    try stage.show("two   // lost, as reported; the damaged file stays beside the vault", two)
    try stage.show("one", one)
  }
}
