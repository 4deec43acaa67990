import SecretStorage

extension Chapter {
  static let matching = Chapter(title: "@InternetPassword: which item a property means") { stage in
    let vault = stage.vault("matching")
    @InternetPassword(
      server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ssh,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c", in: vault)
    var declA: String?
    @InternetPassword(server: "my.server", account: "my.account", in: vault) var declB: String?
    @InternetPassword(
      server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ftp,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c", in: vault)
    var declC: String?
    try stage.say("declA has server, account and everything else, with protocol .ssh;")
    try stage.say("declC the same with .ftp; declB only the server and the account.")

    declA = "The Valley Wind"
    try stage.show(
      #"declA = "The Valley Wind"; declB   // a part that it leaves out matches anything"#, declB)
    declA = nil
    declB = "The Valley Wind"
    try stage.show(#"declA = nil; declB = "The Valley Wind"; declA"#, declA)
    declB = nil
    declC = "The Sixth Station"
    declA = "The Valley Wind"
    try stage.show(
      #"declB = nil; declC = "The Sixth Station"; declA = "The Valley Wind"; declB   // the oldest"#,
      declB)
    try stage.show("try $declB.matchCount", try $declB.matchCount)
    try await $declC.remove()
    try stage.show("try await $declC.remove(); declB", declB)
  }
}
