/// What an app keeps in its settings, or as a secret.
struct Person: Codable, Equatable {
  var age: Int
  var name: String
}
