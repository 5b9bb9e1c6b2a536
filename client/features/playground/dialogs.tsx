/** Every dialog of the playground, loaded when the first one opens. */
import { Match, Switch } from 'solid-js'
import { CodeDialog } from '#client/features/playground/code/code-dialog.tsx'
import { ShortcutsDialog } from '#client/features/playground/keyboard/shortcuts-dialog.tsx'
import { DeleteAllDialog } from '#client/features/playground/sidebar/delete-all-dialog.tsx'
import { ImportDialog } from '#client/features/playground/sidebar/import-dialog.tsx'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import type { DialogName } from '#client/features/playground/state/view-state.ts'
import { TemplatesDialog } from '#client/features/playground/templates/templates-dialog.tsx'
import { RegenerateDialog } from '#client/features/playground/transcript/regenerate-dialog.tsx'

export function Dialogs(props: { bench: PageContext; name: DialogName; draft: string }) {
  const close = () => props.bench.view.setDialog(null)
  return (
    <Switch>
      <Match when={props.name === 'code'}>
        <CodeDialog bench={props.bench} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'shortcuts'}>
        <ShortcutsDialog view={props.bench.view} onClose={close} />
      </Match>
      <Match when={props.name === 'templates'}>
        <TemplatesDialog bench={props.bench} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'other-model'}>
        <RegenerateDialog bench={props.bench} onClose={close} />
      </Match>
      <Match when={props.name === 'delete-all'}>
        <DeleteAllDialog bench={props.bench} onClose={close} />
      </Match>
      <Match when={props.name === 'import'}>
        <ImportDialog bench={props.bench} onClose={close} />
      </Match>
    </Switch>
  )
}
