import type { Directory } from '#accounts/directory'

/** Names that a search goes on with; whoever types little finds the rest by typing more. */
const mostPayers = 200

/** Ids of the users and teams whose name contains the text, in upper or lower case. */
export function payersLike({ users, teams }: Directory, text: string): string[] {
  const found: string[] = []
  const look = (id: string, name: string) => name.toLowerCase().includes(text.toLowerCase()) && found.push(id)
  for (const { id, name } of users.all()) if (found.length < mostPayers) look(id, name)
  for (const { team } of teams.all()) if (found.length < mostPayers) look(team.id, team.name)
  return found
}
