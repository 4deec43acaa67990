import KeyValueStorage

struct Settings: Sendable {
  @StoredValue("runs", in: .standard) var runs = 0
}

let settings = Settings()
let name = StoredValue(wrappedValue: "world", "name")

settings.runs += 1
print("Hello, \(name.wrappedValue), run \(settings.runs).")
try name.save("again")
