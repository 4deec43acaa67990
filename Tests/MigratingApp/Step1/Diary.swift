import KeychainCompatibility

struct Author: Codable {
  var name: String
  var books: [String]
}

struct Diary {
  private static let adapter = CodableKeychainAdapter(
    serviceIdentifier: "com.example.diary", biometricAuthRequired: false)

  @KeychainStore(key: "token", storageAdapter: adapter) var token: String?
  @KeychainStore(key: "author", storageAdapter: adapter) var author: Author?
  @KeychainStore(key: "pages") var pages: Int?
}
