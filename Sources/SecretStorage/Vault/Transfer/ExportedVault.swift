/// The records of an export, which is a separate vault that only a passphrase opens.
struct ExportedVault {
  private(set) var report = ExportReport()
  private(set) var records: [LogRecord] = []

  /// Seals a vault's portable items under new keys; `progress` receives completed and total items.
  init(
    _ contents: VaultContents, under key: SlotKey,
    progress: (Int, Int) throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    let sorted = contents.index.items.sorted { $0.created < $1.created }
    let portable = sorted.filter(\.isPortable)
    report.exported = portable.map(\.decoded)
    report.omitted = sorted.filter { !$0.isPortable }.map {
      ExportReport.Omission(item: $0.decoded, reason: "It is bound to this device.")
    }
    let blocks = portable.records
    try progress(0, portable.count)
    let end = UInt64(RecordComposer.tableCount + blocks.count)
    let keys = try VaultKeys(
      slot: "passphrase", key, device: nil, exportEnd: end, contents.cipher)
    guard let table = keys.table else { return }
    let sealer = table.sealer(contents.cipher)
    var composer = RecordComposer()
    try composer.add(table, under: keys.ring, by: sealer)
    var completed = 0
    for (accessibility, block) in blocks {
      let revision = composer.nextSequence
      var entries: [ItemEntry] = []
      for item in block {
        let sealed = try item.sealing(
          contents.payload(of: item), as: item.id, revision: revision,
          under: keys.secretKey(for: item.accessControl.accessibility), by: sealer)
        entries.append(.put(item.copy(as: item.id, revision: revision, with: sealed)))
      }
      try composer.add(entries, as: accessibility, under: keys, by: sealer)
      completed += block.count
      try progress(completed, portable.count)
    }
    records = composer.records
  }
}

extension VaultItem {
  var isPortable: Bool { KeyPurpose.secrets(accessControl.accessibility).isPortable }
}
