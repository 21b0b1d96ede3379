//! A load balancer shares the requests, and tierup's proxies only send copies.

use tierup_rollout::{Control, Weights};

use crate::{
    Result,
    actuator::{Actuator, Observed, Piece},
};

/// A load balancer that gets the weights, and proxies whose control file has none.
pub struct Behind {
    balancer: Box<dyn Actuator>,
    proxies: Box<dyn Actuator>,
}

impl Behind {
    pub fn new(balancer: Box<dyn Actuator>, proxies: Box<dyn Actuator>) -> Behind {
        Behind { balancer, proxies }
    }
}

impl Actuator for Behind {
    fn name(&self) -> &'static str {
        self.balancer.name()
    }

    fn describe(&self) -> Vec<Piece> {
        self.balancer.describe()
    }

    fn check(&mut self) -> Result<()> {
        self.balancer.check()
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        self.balancer.set(control)?;
        self.proxies.set(&Control { weights: Weights::CONTROL_ONLY, ..control.clone() })
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        self.balancer.read(now)
    }

    fn counts_answers(&self) -> bool {
        self.balancer.counts_answers()
    }

    fn observe(&mut self) -> Observed {
        self.balancer.observe()
    }

    fn release(&mut self) -> Result<()> {
        let released = self.balancer.release();
        self.proxies.release().and(released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actuator::{Own, fixtures::control};

    #[test]
    fn only_the_load_balancer_has_weights_and_both_are_released() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |name: &str| Own::new(folder.path().join(name));
        let control = control(42);
        let mut behind = Behind::new(Box::new(at("balancer")), Box::new(at("proxies")));
        behind.set(&control).expect("there is room");
        let now = control.heartbeat;
        assert_eq!(behind.read(now).expect("it tells"), control.weights);
        assert_eq!(at("proxies").read(now).expect("it is there"), Weights::CONTROL_ONLY);
        behind.release().expect("it can be");
        assert!(!folder.path().join("balancer").exists() && !folder.path().join("proxies").exists());
        behind.release().expect("there is nothing left to do");
    }
}
