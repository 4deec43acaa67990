let diary = Diary()
diary.token = "The Valley Wind"
diary.author = Author(name: "Nausicaä", books: ["Spores", "Ohmu"])
diary.pages = 41
print(diary.token ?? "none", diary.author?.books ?? [], diary.pages ?? 0)
