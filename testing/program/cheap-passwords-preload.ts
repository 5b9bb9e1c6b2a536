/** Loaded into the programs of `npm test` before their own files. */
import { makePasswordsCheap } from './cheap-passwords.ts'

makePasswordsCheap()
