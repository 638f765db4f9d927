//! A tray host and a notification server, played over the session bus.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

use crate::until;

const WATCHER: (&str, &str) = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher");
const NOTICES: (&str, &str) = (
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
);
const MENU: &str = "com.canonical.dbusmenu";

/// What a desktop offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offers {
    pub(crate) tray: bool,
    pub(crate) notices: bool,
    /// Clicks on notifications come back.
    pub(crate) actions: bool,
}

/// A notification as the server received it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) number: u32,
    pub(crate) summary: String,
    pub(crate) body: String,
    pub(crate) actions: Vec<String>,
}

struct Watcher(Arc<Mutex<Vec<(String, String)>>>);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(
        &self,
        service: &str,
        #[zbus(header)] header: zbus::message::Header<'_>,
    ) {
        let sender = header.sender().unwrap().to_string();
        let item = if service.starts_with('/') {
            (sender, service.to_owned())
        } else {
            (service.to_owned(), "/StatusNotifierItem".to_owned())
        };
        self.0.lock().unwrap().push(item);
    }

    fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(|(name, path)| format!("{name}{path}"))
            .collect()
    }
}

struct Notices {
    notes: Arc<Mutex<Vec<Note>>>,
    actions: bool,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notices {
    #[allow(clippy::too_many_arguments, reason = "the desktop's own interface")]
    fn notify(
        &self,
        _app: &str,
        _replaces: u32,
        _icon: &str,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let mut notes = self.notes.lock().unwrap();
        let number = u32::try_from(notes.len()).unwrap() + 1;
        notes.push(Note {
            number,
            summary,
            body,
            actions,
        });
        number
    }

    fn get_capabilities(&self) -> Vec<String> {
        let mut can = vec!["body".to_owned()];
        can.extend(self.actions.then(|| "actions".to_owned()));
        can
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("played".into(), "tests".into(), "1".into(), "1.2".into())
    }

    fn close_notification(&self, _number: u32) {}

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        number: u32,
        action: &str,
    ) -> zbus::Result<()>;
}

/// A desktop on this session bus, for as long as it lives.
pub(crate) struct Desktop {
    bus: zbus::Connection,
    items: Arc<Mutex<Vec<(String, String)>>>,
    notes: Arc<Mutex<Vec<Note>>>,
}

impl Desktop {
    /// A complete one.
    pub(crate) async fn whole() -> Self {
        Self::with(Offers {
            tray: true,
            notices: true,
            actions: true,
        })
        .await
    }

    pub(crate) async fn with(offers: Offers) -> Self {
        let (items, notes) = (Arc::default(), Arc::default());
        let mut builder = zbus::connection::Builder::session().unwrap();
        if offers.tray {
            builder = builder
                .serve_at(WATCHER.1, Watcher(Arc::clone(&items)))
                .and_then(|builder| builder.name(WATCHER.0))
                .unwrap();
        }
        if offers.notices {
            let notices = Notices {
                notes: Arc::clone(&notes),
                actions: offers.actions,
            };
            builder = builder
                .serve_at(NOTICES.1, notices)
                .and_then(|builder| builder.name(NOTICES.0))
                .unwrap();
        }
        Self {
            bus: builder.build().await.unwrap(),
            items,
            notes,
        }
    }

    /// Takes the names back, so that the next test can have them.
    pub(crate) async fn close(self) {
        self.bus.close().await.unwrap();
    }

    /// The item of a process. Told by its number, which is part of the item's name: an item may
    /// register twice, and another app may do so too.
    pub(crate) async fn item(&self, process: u32) -> Item {
        let part = format!("-{process}-");
        let (name, path) = until("a tray item", async || {
            let items = self.items.lock().unwrap();
            items.iter().find(|(name, _)| name.contains(&part)).cloned()
        })
        .await;
        Item {
            bus: self.bus.clone(),
            name,
            path,
        }
    }

    /// The notifications so far.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.notes.lock().unwrap().clone()
    }

    /// The first notification.
    pub(crate) async fn note(&self) -> Note {
        until("a notification", async || self.notes().first().cloned()).await
    }

    /// Clicks on a notification. The app listens only after the server has answered, so a click may
    /// be lost; the caller repeats it until something happens.
    pub(crate) async fn click(&self, note: &Note, action: &str) {
        let server = self.bus.object_server();
        let notices = server.interface::<_, Notices>(NOTICES.1).await.unwrap();
        Notices::action_invoked(notices.signal_emitter(), note.number, action)
            .await
            .unwrap();
    }
}

/// A pixel picture of the icon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pixels {
    pub(crate) width: i32,
    pub(crate) argb: Vec<u8>,
}

/// The app's item in the tray.
pub(crate) struct Item {
    bus: zbus::Connection,
    name: String,
    path: String,
}

/// A menu entry of the protocol: id, properties, children.
type Node = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

impl Item {
    async fn proxy(&self) -> zbus::Proxy<'_> {
        let (name, path) = (self.name.as_str(), self.path.as_str());
        let builder = zbus::proxy::Builder::<zbus::Proxy<'_>>::new(&self.bus)
            .destination(name)
            .and_then(|builder| builder.path(path))
            .and_then(|builder| builder.interface("org.kde.StatusNotifierItem"))
            .unwrap();
        // Properties are asked for anew each time: what is tested is what the app says now.
        builder
            .cache_properties(zbus::proxy::CacheProperties::No)
            .build()
            .await
            .unwrap()
    }

    /// The icon.
    pub(crate) async fn pixels(&self) -> Pixels {
        let mut pictures: Vec<(i32, i32, Vec<u8>)> =
            self.proxy().await.get_property("IconPixmap").await.unwrap();
        let (width, _, argb) = pictures.pop().unwrap();
        Pixels { width, argb }
    }

    /// Title and text of the tooltip, as one.
    pub(crate) async fn tooltip(&self) -> String {
        type Tooltip = (String, Vec<(i32, i32, Vec<u8>)>, String, String);
        let (_, _, title, text): Tooltip =
            self.proxy().await.get_property("ToolTip").await.unwrap();
        format!("{title}\n{text}")
    }

    /// The item's title.
    pub(crate) async fn title(&self) -> String {
        self.proxy().await.get_property("Title").await.unwrap()
    }

    /// A left click.
    pub(crate) async fn activate(&self) {
        let () = self
            .proxy()
            .await
            .call("Activate", &(100, 20))
            .await
            .unwrap();
    }

    async fn menu(&self) -> zbus::Proxy<'static> {
        let path: OwnedObjectPath = self.proxy().await.get_property("Menu").await.unwrap();
        zbus::Proxy::new(&self.bus, self.name.clone(), path, MENU)
            .await
            .unwrap()
    }

    async fn entries(&self) -> Vec<(i32, String)> {
        let layout = &(0_i32, -1_i32, Vec::<String>::new());
        let (_revision, root): (u32, Node) =
            self.menu().await.call("GetLayout", layout).await.unwrap();
        let mut entries = Vec::new();
        gather(root, &mut entries);
        entries
    }

    /// The labels of the menu, submenus included, in order.
    pub(crate) async fn labels(&self) -> Vec<String> {
        self.entries()
            .await
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    /// Chooses an entry of the menu.
    pub(crate) async fn choose(&self, label: &str) {
        let entries = self.entries().await;
        let entry = entries.iter().find(|(_, found)| found == label);
        let (id, _) = entry.unwrap_or_else(|| panic!("no entry {label:?} in {entries:?}"));
        let event = &(*id, "clicked", Value::from(0_i32), 0_u32);
        // Nobody answers once "Quit" was chosen.
        self.menu()
            .await
            .call_noreply("Event", event)
            .await
            .unwrap();
    }
}

fn gather(node: Node, into: &mut Vec<(i32, String)>) {
    if let Some(label) = node
        .1
        .get("label")
        .and_then(|label| <&str>::try_from(label).ok())
    {
        // The protocol marks shortcuts with an underscore.
        into.push((node.0, label.replace('_', "")));
    }
    for child in node.2 {
        if let Ok(child) = Node::try_from(child) {
            gather(child, into);
        }
    }
}
