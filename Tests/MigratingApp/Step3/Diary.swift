import SecretStorage

struct Author: Codable {
  var name: String
  var books: [String]
}

struct Diary {
  @GenericPassword(service: "com.example.diary", account: "token") var token: String?
  @GenericPassword(service: "com.example.diary", account: "author") var author: Author?
  @GenericPassword(service: "Diary.securedomain.default", account: "pages") var pages: Int?
}
