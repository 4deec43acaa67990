// The code of the article "The keychain export", for Apple's systems.
#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
  import Foundation
  import Security

  func exportKeychain(to file: URL, passphrase: String) throws {
    var items: [[String: Any]] = []
    for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
      let all: [CFString: Any] = [
        kSecClass: itemClass, kSecMatchLimit: kSecMatchLimitAll, kSecReturnPersistentRef: true,
        kSecAttrSynchronizable: kSecAttrSynchronizableAny,
      ]
      for reference in try copyMatching(all) as? [Data] ?? [] {
        let one: [CFString: Any] = [
          kSecValuePersistentRef: reference, kSecReturnAttributes: true, kSecReturnData: true,
        ]
        var item = try copyMatching(one) as? [String: Any] ?? [:]
        item = item.filter { PropertyListSerialization.propertyList($0.value, isValidFor: .binary) }
        item["class"] = itemClass as String
        items.append(item)
      }
    }
    let content = try PropertyListSerialization.data(
      fromPropertyList: items, format: .binary, options: 0)
    let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    var key = [UInt8](repeating: 0, count: 32)
    let status = CCKeyDerivationPBKDF(
      CCPBKDFAlgorithm(kCCPBKDF2), passphrase, passphrase.utf8.count, salt, salt.count,
      CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), 600_000, &key, key.count)
    guard status == kCCSuccess else { throw CocoaError(.featureUnsupported) }
    let export: [String: Any] = [
      "format": "keychain items, PBKDF2-HMAC-SHA256, AES-256-GCM", "version": 1,
      "iterations": 600_000, "salt": Data(salt),
      "sealed": try AES.GCM.seal(content, using: SymmetricKey(data: key)).combined!,
    ]
    try PropertyListSerialization.data(fromPropertyList: export, format: .xml, options: 0)
      .write(to: file, options: .atomic)
  }

  func copyMatching(_ query: [CFString: Any]) throws -> CFTypeRef? {
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    guard status == errSecSuccess || status == errSecItemNotFound else {
      throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
    }
    return found
  }
#endif
