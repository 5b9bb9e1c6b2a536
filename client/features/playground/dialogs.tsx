import { Match, Switch } from 'solid-js'
import { CodeDialog } from '#client/features/playground/code/code-dialog.tsx'
import { ShortcutsDialog } from '#client/features/playground/keyboard/shortcuts-dialog.tsx'
import { DeleteAllDialog } from '#client/features/playground/sidebar/delete-all-dialog.tsx'
import { ForgetDialog } from '#client/features/playground/sidebar/forget-dialog.tsx'
import { ImportDialog } from '#client/features/playground/sidebar/import-dialog.tsx'
import { ShareDialog } from '#client/features/playground/sidebar/share-dialog.tsx'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import type { DialogName } from '#client/features/playground/state/view-state.ts'
import { TemplatesDialog } from '#client/features/playground/templates/templates-dialog.tsx'
import { RegenerateDialog } from '#client/features/playground/transcript/regenerate-dialog.tsx'

/** The dialog that is open. All dialogs are loaded together when the first one opens. */
export function Dialogs(props: { page: PageContext; name: DialogName; draft: string }) {
  const close = () => props.page.view.setDialog(null)
  return (
    <Switch>
      <Match when={props.name === 'code'}>
        <CodeDialog page={props.page} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'shortcuts'}>
        <ShortcutsDialog view={props.page.view} onClose={close} />
      </Match>
      <Match when={props.name === 'templates'}>
        <TemplatesDialog page={props.page} draft={props.draft} onClose={close} />
      </Match>
      <Match when={props.name === 'regenerate'}>
        <RegenerateDialog page={props.page} onClose={close} />
      </Match>
      <Match when={props.name === 'delete-all'}>
        <DeleteAllDialog page={props.page} onClose={close} />
      </Match>
      <Match when={props.name === 'forget'}>
        <ForgetDialog page={props.page} onClose={close} />
      </Match>
      <Match when={props.name === 'share'}>
        <ShareDialog page={props.page} onClose={close} />
      </Match>
      <Match when={props.name === 'import'}>
        <ImportDialog page={props.page} onClose={close} />
      </Match>
    </Switch>
  )
}
