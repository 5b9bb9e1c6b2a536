/** The version of this build, as package.json says it. */
import { version } from '../package.json'

export { version }
