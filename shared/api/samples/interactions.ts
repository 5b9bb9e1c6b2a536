/** Samples of the endpoints of interactions. */
import { bearer, get, google, json, post, type Sample } from '../sample.ts'

/** Creates an interaction and runs a call on it: `$id`. */
const first = (more: string, call: string) => `id=$(curl -s "$PARLEY_URL/v1beta/interactions" ${google} ${json} \\
  -d '{"model": "parley-demo", "input": "Hello"${more}}' | sed 's/.*"id":"\\(resp_[^"]*\\)".*/\\1/')\n${call}`

const of = (version: string): Sample[] => {
  const at = `/${version}/interactions`
  const sh = (route: string, text: string, shows: string): Sample => ({ route, language: 'sh', text, prints: 'json', shows })
  return [
    sh(
      `POST ${at}`,
      post(at, '{"model": "parley-demo", "input": "Hello", "system_instruction": "Be brief."}', { key: google }),
      '"model_output"',
    ),
    sh(`GET ${at}/{id}`, first('', get(`${at}/$id?include_input=true`)), '"user_input"'),
    sh(`POST ${at}/{id}/cancel`, first(', "background": true', `curl -s -X POST "$PARLEY_URL${at}/$id/cancel" ${bearer}`), '"interaction"'),
    sh(`DELETE ${at}/{id}`, first('', `curl -s -X DELETE "$PARLEY_URL${at}/$id" ${bearer}`), '{}'),
  ]
}

/** In the order in which they run. */
export const interactionSamples: readonly Sample[] = ['v1beta', 'v1'].flatMap(of)
