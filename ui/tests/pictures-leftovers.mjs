// States of the Leftovers panel that are reached by doing something.

/** Opens, does, checks, draws. */
export async function leftoversActs({ open, go, settle, measure, contrast, names, keyboard, shoot, fail, layouts, themes }) {
  for (const theme of themes) {
    for (const layout of layouts) {
      const act = async (scenario, name, does, check = true) => {
        const { page, where, close } = await open(scenario, layout, theme);
        await go(page, 'leftovers');
        await does(page);
        await page.waitForTimeout(60);
        await settle(page);
        await shoot(page, `act-leftovers-${name}-${layout.name}-${theme}`);
        if (check) {
          await measure(page, `${where} ${name}`);
          await contrast(page, `${where} ${name}`);
          await names(page, `${where} ${name}`);
          if (theme === 'light') await keyboard(page, `${where} ${name}`);
        }
        await close();
      };
      const title = (page, name) => page.locator('main').getByRole('button', { name, exact: true });
      const look = async (page, name) => {
        await title(page, name).click();
        await page.locator('[role="grid"] [role="rowheader"]').first().waitFor();
        await title(page, name).scrollIntoViewIfNeeded();
      };
      const clean = (page) => page.getByRole('button', { name: /^Clean .*…$/ }).click();
      const choose = (page, name) => page.getByRole('checkbox', { name }).first().click();
      const say = (page, own) => page.evaluate((own) => Object.assign(window.backend.leftovers, own), own);

      await act('low', 'details', (page) => look(page, 'Write overlays of finished commands'));
      await act('low', 'chosen', (page) => choose(page, /^Choose all unused: Task output/));
      await act('low', 'preview', clean);
      await act('low', 'preview-both', async (page) => {
        await choose(page, /^Choose all unused: Task output/);
        await clean(page);
      });
      await act('low', 'preview-good', async (page) => {
        await choose(page, /^Choose all unused: Task output/);
        await clean(page);
        await page.getByText('Remove for good', { exact: true }).first().click();
        await settle(page);
        await page.getByRole('checkbox').click();
      });
      await act('low', 'picked', async (page) => {
        await look(page, 'Task output of ended sessions');
        for (const at of [0, 1, 3]) await page.locator('[role="grid"] input:not(:disabled)').nth(at).click();
      });
      if (layout !== layouts[0]) continue;
      await act('low', 'none-chosen', async (page) => {
        for (const at of [0, 1, 2, 3]) await page.locator('tbody input:checked').first().click();
      });
      await act('low', 'search', async (page) => {
        await look(page, 'Task output of ended sessions');
        await page.getByRole('searchbox').fill('notes');
        await page.getByText(/found$/).first().waitFor();
      });
      await act('low', 'no-match', async (page) => {
        await look(page, 'Empty mount sources');
        await page.getByRole('searchbox').fill('no such name');
        await page.getByText(/^No path contains/).waitFor();
      });
      await act('low', 'tests', (page) => look(page, 'Folders that test suites made'));
      await act('low', 'worktrees', async (page) => {
        await look(page, 'Worktrees of agents');
        await page.locator('[role="grid"]').press('End');
      });
      await act('low', 'unlisted', async (page) => {
        await say(page, { unlisted: 'list the leftovers: they were looked for again since; look again' });
        await title(page, 'Dead sandbox sockets').click();
        await page.getByRole('alert').scrollIntoViewIfNeeded();
      });
      await act('low', 'refused', async (page) => {
        await say(page, { preview: { refusals: ['another clean-up runs: wait for its end', '/tmp/claude-1000 belongs to somebody else: nothing in it is removed'], id: '' } });
        await clean(page);
      });
      await act('low', 'all-stay', async (page) => {
        const parts = await page.evaluate(() => window.backend.leftovers.view.classes.slice(0, 2).map((one) => ({ class: one.class, title: one.title, root: one.root, tier: one.tier, count: 0, kept: one.kept, allocated: 0, shared: 0, inodes: 0, parks: false, cost: '' })));
        await say(page, { preview: { parts, count: 0, frees: 0, frees_inodes: 0, id: '' } });
        await clean(page);
      });
      await act('low', 'preview-notes', async (page) => {
        await say(page, { preview: { notes: ['this is WSL2: space that comes free in here does not shrink the disk file on Windows by itself', 'there is no room for a record of this clean-up: it is kept in memory until there is'] } });
        await clean(page);
      });
      await act('low', 'untold', async (page) => {
        await say(page, { preview: 'plan the clean-up: they were looked for again since; look again' });
        await clean(page);
      });
      await act('low', 'not-begun', async (page) => {
        await say(page, { refuse: 'begin the clean-up: 14 write overlays changed since they were shown' });
        await clean(page);
        await page.getByRole('button', { name: /^Remove / }).click();
        await page.getByRole('alert').waitFor();
      });
      await act('low', 'begins', async (page) => {
        await clean(page);
        await page.getByRole('button', { name: /^Remove / }).click();
      });
      await act('leftScheduled', 'scheduled-receipt', (page) => page.getByRole('button', { name: 'Show', exact: true }).click());
      await act('leftPartly', 'open-failures', (page) => page.locator('main summary').first().click());
      await act('low', 'again-failed', async (page) => {
        await say(page, { view: 'look for leftovers in /tmp: Input/output error (os error 5)' });
        await page.getByRole('button', { name: 'Look again' }).click();
      });
      await act('low', 'looking-again', async (page) => {
        await say(page, { hangs: 20_114 });
        await page.getByRole('button', { name: 'Look again' }).click();
      });
      // Far down in two hundred thousand, by the keyboard.
      await act(
        'leftMany',
        'scrolled',
        async (page) => {
          await look(page, 'Empty mount sources');
          await choose(page, /^Choose all unused/);
          await page.locator('[role="row"][tabindex="0"]').focus();
          await page.keyboard.press('End');
          await page.waitForTimeout(80);
          await page.keyboard.press('ArrowUp');
          await page.keyboard.press(' ');
          await page.waitForTimeout(80);
          const seen = await page.evaluate(() => {
            const box = document.activeElement.getBoundingClientRect();
            return { row: document.activeElement.getAttribute('aria-rowindex'), in: document.elementFromPoint(box.left + 60, box.top + box.height / 2)?.closest('[role="row"]') === document.activeElement, rows: document.querySelectorAll('[role="row"]').length, chosen: document.activeElement.getAttribute('aria-selected') };
          });
          if (seen.row !== '199999' || !seen.in || seen.chosen !== 'true') fail('leftMany scrolled', `the keyboard leads to ${JSON.stringify(seen)}`);
          if (seen.rows > 80) fail('leftMany scrolled', `${seen.rows} rows are in the page`);
        },
        false,
      );
    }
  }
}
