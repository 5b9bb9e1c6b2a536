/** Writes rows until it is killed, and prints the name of each committed one. */
import { settings } from '#db/schema'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { openStore } from '#store/engine/open'

const dataFolder = process.argv[2]
if (dataFolder === undefined) throw new Error('usage: embedded-writer.ts DATA_FOLDER')
const store = await openStore({ dataFolder, clock, random })
for (;;) {
  const name = random.hex(8)
  await store.db.transaction((tx) => tx.insert(settings).values({ name, value: { round: name } }))
  process.stdout.write(`${name}\n`)
}
