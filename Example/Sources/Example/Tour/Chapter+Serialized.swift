import Dispatch
import SerializedAccess

extension Chapter {
  static let serialized = Chapter(title: "@Serialized: one value, many threads") { stage in
    @Serialized var visitors = 0
    try stage.show("@Serialized var visitors = 0")
    let shared = $visitors
    try stage.show("let shared = $visitors")
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<12_500 { shared.value += 1 }
    }
    try stage.show("shared.value += 1   // 100,000 times, from 8 threads at once", visitors)

    let heard = Serialized<[String]>([])
    let observation = $visitors.observe { heard.value.append("\($0) became \($1)") }
    try stage.show("let heard = Serialized<[String]>([])")
    try stage.show(
      #"let observation = $visitors.observe { heard.value.append("\($0) became \($1)") }"#)
    visitors = 7
    $visitors.access { $0 *= 6 }
    withExtendedLifetime(observation) {}
    try stage.show(
      "visitors = 7; $visitors.access { $0 *= 6 }; heard.value", heard.value)
  }
}
