import FoundationEssentials
import SecretStorage

extension Chapter {
  static let rollback = Chapter(title: "An older copy, put back") { stage in
    let file = stage.file("rolled back")
    do {
      @GenericPassword(service: "balance", in: stage.vault("rolled back")) var balance: Int?
      balance = 100
      try stage.show("balance = 100   // then the file is copied")
      let older = try Data(contentsOf: file)
      balance = 1
      try stage.show("balance = 1   // then the copy is put back")
      try older.write(to: file)
    }

    let vault = stage.vault("rolled back")
    @GenericPassword(service: "balance", in: vault) var balance: Int?
    try await stage.showFailure("try $balance.load()") { () throws in try $balance.load() }
    try vault.acceptRollback()
    try stage.show(
      "try vault.acceptRollback(); balance   // if the copy was put back on purpose", balance ?? 0)
  }
}
