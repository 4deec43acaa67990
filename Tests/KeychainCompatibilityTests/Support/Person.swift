/// A value in an app's settings or secrets.
struct Person: Codable, Equatable {
  var age: Int
  var name: String
}
