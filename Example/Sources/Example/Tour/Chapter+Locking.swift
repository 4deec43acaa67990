import SecretStorage

extension Chapter {
  static let locking = Chapter(title: "A locked vault") { stage in
    let vault = stage.vault("locked")
    @GenericPassword(service: "diary", in: vault) var diary: String?
    diary = "Monday"
    // The standard cost takes some tenths of a second, which is too long for a tour.
    try vault.setPassphrase(Secret("totoro"), cost: .minimum)
    vault.lock()
    try stage.show(
      #"diary = "Monday"; try vault.setPassphrase(Secret("totoro"), cost: .minimum); vault.lock()"#)

    let report = SecretStores.onFailure
    defer { SecretStores.onFailure = report }
    SecretStores.onFailure = { failure in
      do {
        try stage.show("SecretStores.onFailure", stage.shortened("\(failure)"))
      } catch {
        report(failure)
      }
    }
    try stage.show("diary   // a locked vault gives no value", diary)
    try stage.show("$diary.status", $diary.status)
    diary = "Tuesday"
    try stage.show(
      #"diary = "Tuesday"; $diary.hasUnsavedChanges   // kept, not lost"#, $diary.hasUnsavedChanges)
    try await stage.showFailure(#"try vault.unlock(with: .passphrase(Secret("tortoro")))"#) {
      () throws in
      try vault.unlock(with: .passphrase(Secret("tortoro")))
    }
    try vault.unlock(with: .passphrase(Secret("totoro")))
    try await $diary.save()
    try stage.show(
      #"try vault.unlock(with: .passphrase(Secret("totoro"))); try await $diary.save(); diary"#,
      diary)
  }
}
