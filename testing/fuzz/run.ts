/**
 * `npm run fuzz -- --count 20000 --seed 1`: damaged bodies at every codec, bounded in number; the seed of each find is printed. A find
 * becomes a file in `testing/fuzz/finds`, which `npm test` tries from then on.
 */
import { parseArgs } from 'node:util'
import { faultOf, fuzzCase } from './codecs.ts'

const { values } = parseArgs({ options: { count: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } } })
const [first, count] = [Number(values.seed), Number(values.count)]
let finds = 0
for (let seed = first; seed < first + count && finds < 20; seed++) {
  const one = fuzzCase(seed)
  const fault = faultOf(one)
  if (fault === undefined) continue
  finds += 1
  console.log(JSON.stringify({ seed, fault, ...one }))
}
console.log(`${count} cases from seed ${first}: ${finds} finds`)
process.exitCode = finds > 0 ? 1 : 0
